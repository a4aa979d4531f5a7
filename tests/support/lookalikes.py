"""Texts that look like secrets and are none, and texts that are: what a redactor must leave and must mask."""

import base64
import hashlib
import random
import uuid

__all__ = ["BENIGN", "SECRET_SHAPES"]

_draw = random.Random(20_261_130)


def _digests() -> list[str]:
    """Hashes of every kind that people paste: commits, checksums, integrity fields, image digests."""
    texts = []
    for number in range(20):
        sha1 = hashlib.sha1(b"%d" % number).hexdigest()
        sha256 = hashlib.sha256(b"%d" % number)
        sha512 = base64.b64encode(hashlib.sha512(b"%d" % number).digest()).decode()
        texts += [
            f"commit {sha1}",
            f"{sha1[:12]} fix: the loader",
            f"{sha256.hexdigest()}  dist/pkg-1.{number}.tar.gz",
            f'"integrity": "sha512-{sha512}"',
            f"FROM python@sha256:{sha256.hexdigest()}",
            f"--hash=sha256:{sha256.hexdigest()}",
            f"urlsafe {base64.urlsafe_b64encode(sha256.digest() * 4).decode()}",
        ]
    return texts


def _ids() -> list[str]:
    ids = [str(uuid.UUID(int=_draw.getrandbits(128), version=4)) for _ in range(15)]
    return [text for i in ids for text in (i, f"task-{i}", f"https://example.org/items/{i}?page=2", f"sk-{i[:8]}")]


def _pictures() -> list[str]:
    return [
        f"data:image/png;base64,{base64.b64encode(b'PNG' + _draw.randbytes(3000)).decode()}",
        f'{{"image/png": "{base64.b64encode(_draw.randbytes(6000)).decode()}"}}',
        base64.urlsafe_b64encode(_draw.randbytes(20_000)).decode(),
    ]


_WORDS = r"""
pip install sk-learn scikit-learn
sk-toggleable__content sk-toggleable__label-arrow sk-estimator-doc-link-fitted
<div id="sk-container-id-12" class="sk-top-container"><div class="sk-text-repr-fallback">
task-sklearn-pipeline disk-usage risk-assessment-of-the-second-quarter mask-rcnn-resnet50-fpn-v2
export OPENAI_API_KEY=${OPENAI_API_KEY}
api_key = os.environ["OPENAI_API_KEY"]
OPENAI_API_KEY=<your key here>
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
OPENAI_API_KEY="sk-your-api-key-here-please-replace"
client = OpenAI(api_key="YOUR_API_KEY")
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer $TOKEN
Authorization: Bearer ${API_KEY}
Authorization: Bearer {token}
Authorization: Bearer <token>
Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE
headers={"Authorization": f"Bearer {key}"}
bearer of bad news; the bearer token-authentication-scheme
the Bearer authentication scheme of RFC 6750
Authorization: Basic <credentials>
https://user:${PASSWORD}@host/path
https://user:$PASSWORD@host/path
https://{user}:{password}@{host}/
postgresql://%(user)s:%(password)s@db/app
postgres://localhost:5432/app
http://localhost:8888/lab?token=<token>
http://localhost:8888/tree?token=...
http://localhost:8888/lab/tree/a.ipynb
https://example.org:8443/a@b
https://example.org/search?q=a:b@c&page=3
git clone https://github.com/psf/requests.git@main
git@github.com:psf/requests.git
ssh://git@github.com:22/psf/requests
pip install git+https://github.com/psf/requests@v2.32.0
see http://host:80, mail someone@example.org
mailto:someone@example.org
redis://localhost:6379/0
?sort=token&next=abcdefghijklmnop
max_tokens=4096&token=abc
?token=undefined&x=1
?signature=none
if (a && token == other) { return password; }
grep -r "-----BEGIN RSA PRIVATE KEY-----" .
assert text.startswith("-----BEGIN PRIVATE KEY-----")
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
eyJ is how a JSON object begins in base64
eyJub3QiOiJhIHRva2VuIn0.x
xoxo, hugs and kisses
xoxb-your-token-here
xox-and-friends-of-the-family
AKIA is the prefix of an access key
AKIAXXXXXXXXXXXXXXXX
AKIAB
ghp_short
github_pat_ is a prefix
glpat-placeholder
hf_hub_download(repo_id="bert-base-uncased", filename="config.json")
from hf_transfer import download_in_parallel_with_progress
npm_config_registry npm_lifecycle_event npm_package_dependencies
gsk_model_with_a_rather_long_identifier_name
aws_secret_access_key = <secret>
aws_secret_access_key = os.environ["AWS_SECRET_ACCESS_KEY"]
AIza is how a key begins
SG.short
password: str = Field(min_length=8)
password = getpass.getpass("Password: ")
def token_count(text: str) -> int: ...
secret_sauce = ["tomatoes", "basil"]
KeyError: 'api_key'
r8_ means nothing here
pypi-AgE is a prefix
C:\Users\me\AppData\Local\Temp\tmpabcdefgh
/home/me/.ssh/id_rsa.pub
0x7ffee4b5a8d0 0b1010101010101010 1e-16
3.141592653589793238462643383279502884197
2026-11-30T12:00:00.000000+00:00
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ0c2FuZG9tcHVibGlja2V5Ynl0ZXNoZXJl me@host
"""

BENIGN: list[str] = [*_digests(), *_ids(), *_pictures(), *_WORDS.strip().splitlines()]
"""More than 200 texts in which there is nothing to mask."""

_JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV"
_PEM_BODY = "\n".join(base64.b64encode(_draw.randbytes(48)).decode() for _ in range(6))

SECRET_SHAPES: dict[str, str] = {
    "openai": "sk-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW",
    "openai project": "sk-proj-aB3_dE5-fG7hI9jK1lM3nO5pQ7rS9tU1vW_xY-z",
    "anthropic": "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW-xYz_AA",
    "openrouter": "sk-or-v1-" + "0123456789abcdef" * 4,
    "deepseek": "sk-" + "0123456789abcdef" * 2,
    "letters only": "sk-" + "abcdefghijklmnopqrstuvwxyz",
    "github": "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vWxYz0",
    "github of one letter": "ghs_" + "a" * 36,
    "github fine-grained": "github_pat_11ABCDEFG0aB3dE5fG7hI9_jK1lM3nO5pQ7rS9tU1vWxYz",
    "gitlab": "glpat-aB3dE5fG7hI9jK1lM3nO",
    "slack": "xoxb-123456789012-1234567890123-aB3dE5fG7hI9jK1lM3nO5pQ7",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "google": "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "hugging face": "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "npm": "npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vWxYz0",
    "stripe": "sk_live_aB3dE5fG7hI9jK1lM3nO5pQ7",
    "groq": "gsk_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vWxYz0aB3dE5fG7hI9",
    "jwt": _JWT,
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{_PEM_BODY}\n-----END RSA PRIVATE KEY-----",
}
"""A made-up secret of each shape that is masked wherever it stands."""
