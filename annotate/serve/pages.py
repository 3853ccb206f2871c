"""The pages of the browser door and all that they load: read once, and from nowhere else.

Links are relative, so that the pages work below any path. The terminal's script and style are those
of textual-serve; the pages are ours, because its own page asks another server for a font.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

import textual_serve
from jinja2 import Environment, PackageLoader, select_autoescape

THEIRS = {
    "textual.js": ("js", "text/javascript"),
    "xterm.css": ("css", "text/css"),
    "RobotoMono-VariableFont_wght.ttf": ("fonts", "font/ttf"),
}
OURS = {"wavelock.css": "text/css", "screen.js": "text/javascript"}
# Styles may stand in the page because the terminal writes its own there; scripts may not.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; font-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Server": "Wavelock",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """Something that a browser loads."""

    kind: str
    body: bytes
    packed: bytes = field(repr=False)
    tag: str

    @classmethod
    def of(cls, kind: str, body: bytes) -> Asset:
        """Return a body as it will be sent."""
        tag = hashlib.sha256(body).hexdigest()[:16]
        return cls(kind, body, gzip.compress(body, mtime=0), f'"{tag}"')


@dataclass(frozen=True, slots=True)
class Site:
    """What the study says of itself at the door.

    Attributes
    ----------
    title
        Stands above the start page and in the tab.
    welcome
        Paragraphs in place of the shipped ones.
    """

    title: str = "Wavelock"
    welcome: Sequence[str] = ()


def assets(site: Site) -> Mapping[str, Asset]:
    """Return everything by its path below the door."""
    found = {"": _page("start.html", site), "screen": _page("screen.html", site)}
    theirs = resources.files(textual_serve) / "static"
    for name, (folder, kind) in THEIRS.items():
        found[f"static/{name}"] = Asset.of(kind, (theirs / folder / name).read_bytes())
    ours = resources.files("annotate.serve") / "static"
    for name, kind in OURS.items():
        found[f"static/{name}"] = Asset.of(kind, (ours / name).read_bytes())
    return found


def _page(name: str, site: Site) -> Asset:
    loader = PackageLoader("annotate.serve", "templates")
    pages = Environment(loader=loader, autoescape=select_autoescape(), trim_blocks=True)
    return Asset.of("text/html", pages.get_template(name).render(site=site).encode())


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a plain text: an empty line ends one."""
    found = (" ".join(part.split()) for part in text.replace("\r\n", "\n").split("\n\n"))
    return tuple(part for part in found if part)
