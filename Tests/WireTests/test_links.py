"""Links of every page of Markdown: the file is there, and so is the section. Addresses in the Web are not visited."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

import guides
from program import REPOSITORY

MARKDOWN = MarkdownIt("commonmark").enable("table")


def slug(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@cache
def parsed(path: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """The anchors of a page, and where its links lead."""
    tokens = MARKDOWN.parse(path.read_text())
    anchors: list[str] = []
    links = []
    for heading, content in zip(tokens, tokens[1:]):
        if heading.type == "heading_open":
            words = "".join(part.content for part in content.children if part.type in ("text", "code_inline"))
            anchor = slug(words)
            again = anchors.count(anchor)
            anchors += [anchor] if again == 0 else [f"{anchor}-{again}", anchor]
    for part in [part for token in tokens for part in [token, *(token.children or [])]]:
        if part.type in ("html_inline", "html_block"):
            anchors += re.findall(r'<a id="([^"]+)">', part.content)
        links += [str(part.attrs[name]) for name in ("href", "src") if name in part.attrs]
    return frozenset(anchors), tuple(links)


def problem(page: Path, link: str) -> str | None:
    if re.match(r"(https?|mailto|doc):", link):
        return None
    path, _, anchor = unquote(link).partition("#")
    if path.startswith("/"):
        return "is absolute"
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return "leads to no file"
    if not target.is_relative_to(REPOSITORY) and target.parent != page.parent:
        return "leads out of the repository"
    if anchor and (target.suffix != ".md" or anchor not in parsed(target)[0]):
        return "leads to no section"
    return None


@pytest.mark.parametrize("page", guides.pages())
def test_the_links_of_a_page_lead_somewhere(page):
    path = REPOSITORY / page
    broken = [f"{link} {why}" for link in parsed(path)[1] if (why := problem(path, link))]
    assert broken == []


def test_there_are_links_to_follow():
    assert sum(len(parsed(REPOSITORY / page)[1]) for page in guides.pages()) > 500


def test_every_page_of_docs_is_in_the_index():
    links = {link.partition("#")[0] for link in parsed(REPOSITORY / "docs/README.md")[1]}
    own = {path.name for path in (REPOSITORY / "docs").glob("*.md")}
    assert own - links == {"README.md"}


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("[a](other.md)", None),
        ("[a](other.md#its-section-1)", None),
        ("[a](other.md#its-own)", None),
        ("[a](#here--there)", None),
        ("[a](https://example.com/nowhere)", None),
        ("[a](gone.md)", "leads to no file"),
        ("![a](gone.png)", "leads to no file"),
        ("[a](other.md#its-section-2)", "leads to no section"),
        ("[a](#nowhere)", "leads to no section"),
        ("[a](/other.md)", "is absolute"),
        ("[a][b]\n\n[b]: gone.md", "leads to no file"),
    ],
)
def test_a_broken_link_is_noticed(tmp_path, link, why):
    page = tmp_path / "page.md"
    page.write_text(f"# Here & there\n\n{link}\n")
    (tmp_path / "other.md").write_text('# Its `section`\n\n## Its section\n\n<a id="its-own"></a>\n')
    (target,) = parsed(page)[1]
    assert problem(page, target) == why
