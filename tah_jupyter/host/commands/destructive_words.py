"""The words by which :mod:`tah_jupyter.host.commands.destructive` knows a command that cannot be taken back."""

__all__ = ["ALWAYS", "CARRIERS", "GIT", "GIT_WITH_VALUE", "LOADER", "SHELLS", "SUBCOMMANDS", "WITH_OPTION"]


def words(text: str) -> frozenset[str]:
    """The words of ``text``."""
    return frozenset(text.split())


ALWAYS = words(
    # files and disks
    "rm rmdir unlink shred srm wipe dd truncate wipefs blkdiscard mkswap fdisk sfdisk gdisk sgdisk parted "
    # processes and the machine
    "kill pkill killall killall5 xkill skill shutdown reboot halt poweroff init telinit "
    # other users' rights, and accounts
    "sudo doas su pkexec runuser userdel groupdel usermod passwd chpasswd visudo "
    # databases and mail
    "dropdb dropuser sendmail mail "
    # editors that read their orders from where nobody sees them
    "ed ex"
)
"""Programs that destroy, overwrite or end something whatever their arguments."""

SUBCOMMANDS = {
    "npm": "publish unpublish deprecate dist-tag owner",
    "pnpm": "publish unpublish deprecate",
    "yarn": "publish",
    "bun": "publish",
    "lerna": "publish",
    "twine": "upload",
    "cargo": "publish yank owner",
    "gem": "push yank",
    "poetry": "publish",
    "uv": "publish",
    "pdm": "publish",
    "hatch": "publish",
    "flit": "publish",
    "nuget": "push delete",
    "dotnet": "push delete",
    "mvn": "deploy",
    "gradle": "publish",
    "docker": "rm rmi prune push kill stop down",
    "docker-compose": "rm kill stop down push",
    "podman": "rm rmi prune push kill stop down",
    "kubectl": "delete drain apply replace patch scale",
    "oc": "delete drain apply replace patch scale",
    "helm": "delete uninstall upgrade rollback",
    "terraform": "destroy apply",
    "tofu": "destroy apply",
    "pulumi": "destroy up",
    "gh": "delete merge close create edit upload",
    "glab": "delete merge close create",
    "aws": "rm rb mv sync cp",
    "gsutil": "rm rb mv rsync cp",
    "gcloud": "delete deploy",
    "az": "delete",
    "hf": "upload delete",
    "huggingface-cli": "upload delete",
    "kaggle": "create version submit",
    "vercel": "deploy remove --prod",
    "netlify": "deploy",
    "fly": "deploy destroy",
    "firebase": "deploy",
    "systemctl": "stop disable mask kill restart poweroff reboot",
    "service": "stop restart",
    "launchctl": "unload remove kill bootout",
    "redis-cli": "flushall flushdb del",
    "hg": "push purge strip",
    "svn": "commit ci delete revert",
}
"""Programs that publish or destroy with one of these words among their arguments."""

WITH_OPTION = {
    "chmod": r"-\w*R\w*|--recursive",
    "chown": r"-\w*R\w*|--recursive",
    "chgrp": r"-\w*R\w*|--recursive",
    "crontab": r"-\w*r\w*|-|[^-].*",
    "rsync": r"--del(ete\S*)?|--remove-source-files|[^-/.][^/]*:.*",
    "scp": r"[^-/.][^/]*:.*",
    "ln": r"-\w*f\w*|--force",
    "tar": r"--remove-files|--overwrite\S*|--to-command\S*|--checkpoint-action\S*|-I.*|--use-compress-program\S*",
    "unzip": r"-\w*o\w*",
    "sed": r"-\w*i\S*|--in-place\S*",
    "perl": r"-[acdlnpsw0-9]*i\S*",
    "ruby": r"-[acdlnpsw0-9]*i\S*",
    "sort": r"-\w*o\S*|--output\S*",
    "shuf": r"-\w*o\S*|--output\S*",
    "vim": r"-c|-[eE]?s|--cmd|\+\S+",
    "vi": r"-c|-[eE]?s|--cmd|\+\S+",
    "nvim": r"-c|-[eE]?s|-l|--cmd|--headless|\+\S+",
    "emacs": r"--batch|-batch|--script|--eval|-f|-l",
    "zip": r"-\w*m\w*|--move",
    "find": r"-delete|-fprint\w*|-fls",
    "curl": r"-\w*[dFT]\w*|--data\S*|--form\S*|--json|--upload-file|(-X|--request=)?(POST|PUT|PATCH|DELETE)",
    "wget": r"--post-\S*|--body-\S*|--method=(POST|PUT|PATCH|DELETE)",
    "iptables": r"-[FXD]|--flush|--delete\S*",
}
"""Programs that are harmless but for an argument that matches as a whole."""

GIT = {
    "push": r".*",
    "clean": r".*",
    "rm": r".*",
    "restore": r".*",
    "filter-branch": r".*",
    "filter-repo": r".*",
    "prune": r".*",
    "reset": r"--hard|--merge|--keep",
    "checkout": r"--|\.|-\w*f\w*|--force|-B|--ours|--theirs|\./.*|.*\.\w{1,5}",
    "switch": r"-\w*[fC]\w*|--force\S*|--discard-changes",
    "branch": r"-\w*[dDMf]\w*|--delete|--force",
    "stash": r"drop|clear",
    "tag": r"-\w*[df]\w*|--delete|--force",
    "reflog": r"expire|delete",
    "gc": r"--prune\S*|--aggressive",
    "update-ref": r"-d|--stdin",
    "worktree": r"remove|prune",
    "submodule": r"deinit",
    "remote": r"remove|rm|prune|set-url",
    "lfs": r"prune|push",
    "svn": r"dcommit",
    "send-email": r".*",
}
"""Subcommands of git, and the arguments with which they lose work or publish it (``.*``: always)."""

GIT_WITH_VALUE = words("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
"""Options of git itself whose value is the next word."""

CARRIERS = words(
    "env timeout gtimeout nice ionice nohup stdbuf setsid time command exec eval builtin busybox toybox chroot "
    "unshare watch flock script xargs parallel find fd ssh entr uv uvx poetry pdm hatch pipx npx pnpx bunx pipenv "
    "conda mamba micromamba docker podman docker-compose kubectl oc make nix nix-shell apptainer singularity "
    "distrobox toolbox vagrant strace ltrace gdb valgrind perf rr hyperfine memusage catchsegv firejail bwrap proot "
    "nsenter fakeroot fakechroot faketime eatmydata systemd-run systemd-inhibit start-stop-daemon daemonize daemon at "
    "batch tmux screen dtach expect rlwrap taskset chrt numactl prlimit choom cgexec cpulimit trickle runcon setpriv "
    "setarch linux32 linux64 i386 x86_64 sg gosu su-exec setuidgid chpst softlimit envdir dotenv direnv tini dumb- "
    "init chronic ts unbuffer xvfb-run dbus-run-session dbus-launch ssh-agent torsocks proxychains proxychains4 "
    "watchexec nodemon reflex"
)
"""Programs that run what their arguments say."""

LOADER = r"ld(-linux|-musl)?[-\w]*\.so[.\d]*"
"""The name of the program that starts other programs: it runs the one that it is given."""

SHELLS = words("sh bash dash zsh ksh mksh ash fish csh tcsh rbash")
