"""The places of the tree's files in the site, and the check that each link reaches one.

Links are written for a forge: relative paths to Markdown, sources and folders of the tree. In the site a page has the
ending .html; README.md is its folder's index.html; a source that a page links is shown as a page of its own, and a
folder as a list of its files.
"""

import posixpath
import urllib.parse

from .markup import SCHEME

IMAGES = (".svg", ".png", ".webp", ".jpg", ".gif")


def place(path):
    """The file of the site that shows a file of the tree."""
    if path.endswith(".md"):
        folder, name = posixpath.split(path)
        return posixpath.join(folder, "index.html" if name == "README.md" else f"{name[:-3]}.html")
    return path if path.endswith(IMAGES) else f"source/{path}.html"


def relative(target, page):
    """The link from a file of the site to another."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


class Links:
    """Collects the links of all pages; `pages` are paths of Markdown, those of the reference too."""

    def __init__(self, root, pages):
        self.root, self.pages = root, pages
        self.assets, self.sources, self.folders = set(), set(), set()
        self.wanted = []  # (path of the page, link, file of the site, anchor)
        self.problems = []

    def find(self, path):
        """The file of the site for a path of the tree; None: there is no such file."""
        if path in self.pages:
            return place(path)
        readme = posixpath.normpath(posixpath.join(path, "README.md"))
        if readme in self.pages:
            return place(readme)
        file = self.root / path
        if path.startswith("..") or not file.exists():
            return None
        if file.is_dir():
            self.folders.add(path)
            return f"source/{path}/index.html"
        (self.assets if path.endswith(IMAGES) else self.sources).add(path)
        return place(path)

    def resolve(self, page, link):
        """The link's text in the site."""
        if SCHEME.match(link) or link.startswith("//"):
            return link
        path, _, anchor = urllib.parse.unquote(link).partition("#")
        if path.startswith("/"):
            self.problems.append(f"{page}: '{link}' begins with '/': links are relative to their file")
            return link
        own = place(page)
        target = own if not path else self.find(posixpath.normpath(posixpath.join(posixpath.dirname(page), path)))
        if target is None:
            self.problems.append(f"{page}: '{link}' leads to no file")
            return link
        if anchor:
            self.wanted.append((page, link, target, anchor))
        there = "" if target == own else urllib.parse.quote(relative(target, own))
        return f"{there}#{urllib.parse.quote(anchor)}" if anchor else there or "#"

    def check(self, anchors):
        """Reports links to anchors that are missing; `anchors` are those of each file of the site."""
        for page, link, target, anchor in self.wanted:
            if anchor not in anchors.get(target, ()):
                self.problems.append(f"{page}: '{link}' names the anchor '{anchor}', which {target} does not have")
