#!/usr/bin/env python3
"""page.py FILE [PICTURES]: checks the page of `mastaba bench all`: well-formed, self-contained, every section with its tables and, with
PICTURES, their number."""
import html.parser
import sys
import xml.etree.ElementTree as tree

SECTIONS = ["convolution", "filter", "pyramid", "integration", "vector-width", "rates"]
FETCHING = {"script", "link", "img", "image", "iframe", "object", "embed", "base", "audio", "video", "source"}


class Checker(html.parser.HTMLParser):
    """What a browser's parser sees: tags that match, ids that differ, no reference that leaves the page."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.references = [], set(), []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag not in FETCHING, tag
        for name, value in attributes:
            if name == "id":
                assert value not in self.ids, "two elements have the id %s" % value
                self.ids.add(value)
            if name in ("href", "xlink:href", "src"):
                assert value.startswith("#"), value
                self.references.append(value[1:])
            if name not in ("xmlns", "xmlns:xlink"):
                assert "http" not in value and "@import" not in value, value

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def text(element):
    return " ".join("".join(element.itertext()).split())


def main(path, pictures=None):
    page = open(path, encoding="utf-8").read()
    start = "<!DOCTYPE html>\n"
    assert page.startswith(start) and page.endswith("</html>\n")
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert not checker.open and set(checker.references) <= checker.ids, set(checker.references) - checker.ids
    style = page[page.index("<style>"):page.index("</style>")]
    assert "url(" not in style and "@import" not in style and "@font-face" not in style
    body = tree.fromstring(page[len(start):]).find("body")
    assert text(body.find("h1")).startswith("Mastaba on ")
    about = [text(t) for t in body.findall("dl/dt")]
    assert {"device", "driver", "date"} <= set(about), about
    sections = body.findall("section")
    assert [s.get("id") for s in sections] == SECTIONS
    for section in sections:
        assert len(text(section.find("p"))) > 20 and section.find("h2") is not None
    # Published figures that every page has, whatever was measured.
    assert "229" in text(sections[0]) and "5.44 ns" in text(sections[2]) and "28.4" in text(sections[2])
    svg = "{http://www.w3.org/2000/svg}svg"
    assert pictures is None or len(list(body.iter(svg))) == int(pictures), len(list(body.iter(svg)))


main(*sys.argv[1:])
