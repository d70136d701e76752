"""The whole site: its pages in their sections, around them the frame of theme/page.html, and the index for search.

pages.toml lists the sections. Everything is made in memory, so that a fault leaves an older site as it was, and the same
tree gives the same bytes.
"""

import fnmatch
import gzip
import html
import json
import pathlib
import posixpath
import string
import tomllib

from . import reference
from .links import Links, place, relative
from .markup import Page, render

HERE = pathlib.Path(__file__).resolve().parents[1]
THEME = HERE / "theme"
NOT_OURS = {"node_modules", "corpus", "__pycache__"}
PACKED = (".html", ".js", ".css", ".svg")
INDEX = "search-index.js"  # also the sign that a folder holds a site
SECTION_CHARS_MAX = 6000  # text of one section in the search index
SOURCE_BYTES_MAX = 1 << 20  # a source that is shown


class FolderError(Exception):
    """The folder for the site holds something else."""


def markdown_of(root, read):
    """{path: text} of all Markdown in the tree, hidden folders and others' packages left out; adds files and folders to `read`."""
    found = {}

    def walk(folder):
        read.add(folder)
        for entry in sorted(folder.iterdir()):
            if entry.name.startswith(".") or entry.name in NOT_OURS or entry.is_symlink():
                continue
            if entry.is_dir():
                walk(entry)
            elif entry.suffix == ".md":
                read.add(entry)
                found[entry.relative_to(root).as_posix()] = entry.read_text(encoding="utf-8")

    walk(root)
    return found


def sections_of(paths, problems):
    """[(title, [path])] as pages.toml has them: a page goes where the first pattern names it. Also those that none names."""
    listed = tomllib.loads((HERE / "pages.toml").read_text(encoding="utf-8"))["section"]
    left, sections = list(paths), []
    for section in listed:
        chosen = []
        for pattern in section["pages"]:
            matching = [path for path in left if fnmatch.fnmatchcase(path, pattern)]
            if not matching and "*" not in pattern:
                problems.append(f"docs/pages.toml: {section['title']}: there is no page {pattern}")
            chosen += matching
            left = [path for path in left if path not in matching]
        sections.append((section["title"], chosen))
    return sections, left


def navigation(sections, titles, own, page):
    """The list of all pages, that of `own` marked and with its sections."""
    lines = []
    for title, paths in sections:
        lines.append(f"<h2>{html.escape(title)}</h2>\n<ul>")
        for path in paths:
            there = html.escape(relative(place(path), place(own))) if path != own else "#"
            here = ' aria-current="page"' if path == own else ""
            lines.append(f'<li><a href="{there}"{here}>{html.escape(titles[path])}</a>')
            if path == own and page is not None:
                parts = [s for s in page.sections if s.level == 2]
                lines += ["<ul>", *(f'<li><a href="#{s.anchor}">{html.escape(s.title)}</a></li>' for s in parts), "</ul>"]
            lines.append("</li>")
        lines.append("</ul>")
    return "\n".join(lines)


def framed(frame, sections, titles, own, title, body, page=None, at=None, after=""):
    """A page of the site around its body."""
    there = at or place(own)
    return frame.substitute(title=html.escape(title), body=body, after=after, home=relative("index.html", there),
                            root=relative(".", there), navigation=navigation(sections, titles, own, page)
                            if at is None else "").encode()


def neighbours(order, own, titles):
    """Links to the pages before and after, in the order of the sections."""
    at = order.index(own)
    words = []
    for step, name in ((-1, "Before"), (1, "Next")):
        if 0 <= at + step < len(order):
            path = order[at + step]
            words.append(f'<a href="{html.escape(relative(place(path), place(own)))}">{name}: {html.escape(titles[path])}</a>')
    return f'<nav class="steps" aria-label="Neighbours">{" ".join(words)}</nav>'


def source_page(root, path):
    """The body of a page that shows a source."""
    data = (root / path).read_bytes()
    if len(data) > SOURCE_BYTES_MAX:
        return f"<h1>{html.escape(path)}</h1>\n<p>{len(data)} bytes, too large to show here.</p>"
    return f"<h1>{html.escape(path)}</h1>\n<pre><code>{html.escape(data.decode('utf-8', 'replace'))}</code></pre>"


def folder_page(root, path, links, at):
    """The body of a page that lists a folder's files; those that a page links can be read."""
    rows = []
    for entry in sorted((root / path).iterdir()):
        if entry.name.startswith(".") or entry.name in NOT_OURS:
            continue
        name, inside = html.escape(entry.name), f"{path}/{entry.name}"
        shown = inside in links.pages or inside in links.sources
        there = html.escape(relative(place(inside), at))
        rows.append(f'<li><a href="{there}">{name}</a></li>' if shown else f"<li>{name}{'/' if entry.is_dir() else ''}</li>")
    return f"<h1>{html.escape(path)}</h1>\n<ul>\n" + "\n".join(rows) + "\n</ul>"


def search_index(order, pages):
    """The script with the text of every section, for theme/search.js."""
    rows = []
    for path in order:
        for section in pages[path].sections:
            text = " ".join("".join(section.text).split())[:SECTION_CHARS_MAX]
            if text or section.title:
                rows.append([place(path), section.anchor, pages[path].title, section.title, text])
    return ("window.CAROM_SEARCH = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n").encode()


def build(root, cmark):
    """({file of the site: bytes}, [fault], [page that no section lists], {file or folder of the tree that was read}). The site lacks
    such pages: whoever builds carom may have folders of their own in its tree."""
    problems, read = [], set()
    texts = markdown_of(root, read) | reference.pages(root)
    sections, unlisted = sections_of(texts, problems)
    texts = {path: text for path, text in texts.items() if path not in unlisted}
    order = [path for _, paths in sections for path in paths]
    links = Links(root, set(texts))
    pages = {path: Page(render(cmark, text), lambda link, path=path: links.resolve(path, link)) for path, text in texts.items()}
    problems += [f"{path}: has no heading, and so no title" for path, page in pages.items() if not page.title]
    titles = {path: page.title for path, page in pages.items()}
    frame = string.Template((THEME / "page.html").read_text(encoding="utf-8"))
    files = {}
    for path in order:
        title = titles[path] if path == "README.md" else f"{titles[path]} · carom"
        files[place(path)] = framed(frame, sections, titles, path, title, pages[path].html, pages[path],
                                    after=neighbours(order, path, titles))
    for path in sorted(links.folders):
        at = f"source/{path}/index.html"
        files[at] = framed(frame, sections, titles, "README.md", path, folder_page(root, path, links, at), at=at)
    for path in sorted(links.sources):
        files[place(path)] = framed(frame, sections, titles, "README.md", path, source_page(root, path), at=place(path))
    for path in links.assets:
        files[path] = (root / path).read_bytes()
    links.check({place(path): page.anchors for path, page in pages.items()})
    for file in THEME.iterdir():
        if file.suffix in (".css", ".js", ".svg"):
            files[file.name] = file.read_bytes()
    files[INDEX] = search_index(order, pages)
    read |= {root / path for path in links.assets | links.sources | links.folders}
    read |= {file for folder in ("proto/schema", "proto/generate", "docs") for file in (root / folder).rglob("*") if "__pycache__" not in file.parts}
    return files, problems + links.problems, unlisted, read


def write(folder, files):
    """Puts the site into a folder, each text also by gzip, and removes files of an older site."""
    if folder.exists() and any(folder.iterdir()) and not (folder / INDEX).exists():
        raise FolderError(f"{folder} holds something that is no site; name an empty folder")
    packed = {f"{name}.gz": gzip.compress(data, 9, mtime=0) for name, data in files.items() if name.endswith(PACKED)}
    wanted = files | packed
    for name, data in wanted.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != data:
            file.write_bytes(data)
    for file in sorted(folder.rglob("*"), reverse=True):
        if file.is_file() and file.relative_to(folder).as_posix() not in wanted:
            file.unlink()
        elif file.is_dir() and not any(file.iterdir()):
            file.rmdir()
