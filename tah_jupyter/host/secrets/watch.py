"""The secrets of an environment that changes while a session is open: a cell sets a variable, a person types a key."""

from collections.abc import Mapping

from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.values import secrets_in

__all__ = ["Watch"]


class Watch:
    """Keeps :attr:`redactor` in the know. A key that is typed counts at once, from any thread; what else became secret
    in ``environ`` counts from :meth:`look_again` on.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._known = secrets_in(environ)
        self.redactor = Redactor(self._known)
        self._unsubscribe = environ.on_new(self._typed) if isinstance(environ, Keys) else lambda: None

    def look_again(self) -> None:
        """Mask what is secret by now as well (0.3 ms where nothing changed); a value that was replaced stays masked."""
        try:
            found = secrets_in(self._environ)
        except KeyError:  # another thread took a variable away meanwhile: it is looked at again
            return
        if found != self._known:
            self.redactor.learn({name: value for name, value in found.items() if self._known.get(name) != value})
            self._known = found

    def close(self) -> None:
        """Hear of no more keys."""
        self._unsubscribe()

    def _typed(self, name: str, key: str) -> None:
        self.redactor.learn({name: key})
