#!/usr/bin/env python3
"""Check pages with the standard library's parser: check_html.py FILE… Prints "# FILE", faults, one a line, "rows TABLE N", "ids N"."""
import html.parser, sys

VOID = {"meta", "link", "br", "img", "input", "hr", "rect", "circle", "line"}
NEVER = {"img", "iframe", "object", "embed", "video", "audio", "source", "form", "base"}
# Of elements that end by themselves when their parent ends, the page uses none: every tag is closed.


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.links, self.rows, self.tables, self.raw = [], [], set(), [], {}, [], {}

    def fault(self, what):
        self.faults.append(f"line {self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attributes, closed=False):
        if tag in NEVER:
            self.fault(f"<{tag}>")
        for name, value in attributes:
            value = value or ""
            if name == "id":
                if value in self.ids:
                    self.fault(f"id {value} twice")
                self.ids.add(value)
            if name.startswith("on") or name in ("style", "srcset", "src", "action", "background"):
                self.fault(f"attribute {name}")
            if name == "href":
                if value.startswith("#"):
                    self.links.append(value[1:])
                elif (tag, value) != ("link", "data:,"):
                    self.fault(f"link to {value}")
        if tag == "table":
            self.tables.append(dict(attributes).get("id"))
            self.rows[self.tables[-1]] = 0
        if tag == "tr" and "tbody" in self.open:
            self.rows[self.tables[-1]] += 1
        if tag not in VOID and not closed:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes, closed=True)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> while {self.open[-1:]} is open")
        if self.open:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data


def check(path):
    text = open(path, "rb").read().decode("utf-8")  # throws for what is no UTF-8
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        page.fault(f"open at the end: {page.open}")
    for link in page.links:
        if link not in page.ids:
            page.fault(f"no element for #{link}")
    for kind, raw in page.raw.items():
        for word in ("http:", "https:", "//", "@import", "fetch(", "XMLHttpRequest", "import("):
            if word in raw:
                page.fault(f"{word} in {kind}")
    if any(ord(c) < 32 and c not in "\n\t" or 0x7F <= ord(c) < 0xA0 for c in text):
        page.fault("control character")
    print("#", path)
    print(*page.faults, sep="\n", end="\n" if page.faults else "")
    for table, rows in page.rows.items():
        print("rows", table, rows)
    print("ids", len(page.ids))


for path in sys.argv[1:]:
    check(path)
