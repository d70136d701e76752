"""The HTML of one page: cmark-gfm renders it, then headings get the anchors that a forge gives them, and links to files of
the tree become links within the site.
"""

import html
import html.parser
import re
import subprocess

EXTENSIONS = ("table", "autolink", "strikethrough", "tasklist")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
LINKS = {"a": "href", "img": "src", "source": "srcset"}
# Elements with text of their own in the search index: a blank stands between two of them.
BLOCKS = HEADINGS | {"p", "li", "td", "th", "tr", "pre", "br", "div"}


def render(cmark, text):
    """HTML of Markdown, as a forge renders it."""
    options = [word for name in EXTENSIONS for word in ("-e", name)]
    done = subprocess.run([cmark, "--unsafe", *options], input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode()


def slug(text):
    """The anchor that GitHub gives a heading of that text."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Section:
    """A heading, and the text up to the next one."""

    def __init__(self, level, anchor, title):
        self.level, self.anchor, self.title = level, anchor, title
        self.text = []


class Page(html.parser.HTMLParser):
    """Reads the HTML of a page. `resolve(link)` gives what stands in a link's place in the site."""

    def __init__(self, source, resolve):
        super().__init__(convert_charrefs=False)
        self.resolve = resolve
        self.out, self.anchors = [], set()
        self.sections = [Section(1, "", "")]
        self.heading = None  # pieces of the heading that is being read
        self.feed(source)
        self.close()

    @property
    def html(self):
        return "".join(self.out)

    @property
    def title(self):
        return next((s.title for s in self.sections if s.title), "")

    def put(self, text):
        (self.out if self.heading is None else self.heading).append(text)

    def anchor_of(self, title):
        base = anchor = slug(title)
        number = 0
        while anchor in self.anchors:
            number += 1
            anchor = f"{base}-{number}"
        self.anchors.add(anchor)
        return anchor

    def handle_starttag(self, tag, attrs):
        if tag in BLOCKS:
            self.sections[-1].text.append(" ")
        if tag in HEADINGS:
            self.heading, self.heading_text = [], []
            return
        attributes = dict(attrs)
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        key = LINKS.get(tag)
        if key is None or attributes.get(key) is None:
            self.put(self.get_starttag_text())
            return
        attributes[key] = self.resolve(attributes[key])
        words = "".join(f" {name}" if value is None else f' {name}="{html.escape(value)}"' for name, value in attributes.items())
        self.put(f"<{tag}{words}>")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag not in HEADINGS or self.heading is None:
            self.put(f"</{tag}>")
            return
        inner, title = "".join(self.heading), "".join(self.heading_text).strip()
        self.heading = None
        anchor = self.anchor_of(title)
        self.sections.append(Section(int(tag[1]), anchor, title))
        self.put(f'<{tag} id="{anchor}">{inner} <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></{tag}>')

    def text(self, text):
        (self.sections[-1].text if self.heading is None else self.heading_text).append(text)

    def handle_data(self, data):
        self.put(data)
        self.text(data)

    def handle_entityref(self, name):
        self.put(f"&{name};")
        self.text(html.unescape(f"&{name};"))

    def handle_charref(self, name):
        self.handle_entityref(f"#{name}")

    def handle_comment(self, data):
        """Comments name blocks for other generators, and readers of the site do not need them."""
