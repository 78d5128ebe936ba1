"""Collects the pages of the site in .build/site-pages: every page that README.md leads to, the files that they name,
and a reference of the admin API, made from Sources/Admin/openapi.yaml."""

import re
import shutil
from pathlib import Path

import openapi

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = REPOSITORY / ".build/site-pages"
INDEX = "docs/README.md"
REFERENCE = "docs/api-reference.md"
STYLE = """\
.wy-nav-content { max-width: 1100px }
.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal }
.rst-content .highlight { border: 0; padding: 0 }
"""
"""Wide enough for 120 columns of code; tables break their lines."""
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^( *)```(\w+) +([^\n]+)$", re.M)
NESTED = re.compile(r"^   ```.*?^   ```$", re.S | re.M)


def links(text: str) -> list[str]:
    """Relative links of a page, without those in code."""
    prose = re.sub(r"^( *)```.*?^\1```$|`[^`\n]*`", "", text, flags=re.S | re.M)
    return [match[2] for match in LINK.finditer(prose) if not re.match(r"\w+:", match[2])]


def for_site(text: str) -> str:
    """As Python-Markdown wants it: a block's name is a title, and a block in a list is indented by four."""
    text = NESTED.sub(lambda match: re.sub(r"^(?=.)", " ", match[0], flags=re.M), text)
    return FENCE.sub(lambda m: f"{m[1]}```{m[2]}" + (f' title="{m[3]}"' if "." in m[3] else ""), text)


def collect() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    waiting, known = ["README.md"], set()
    while waiting:
        path = waiting.pop()
        if path in known:
            continue
        known.add(path)
        source, target = REPOSITORY / path, PAGES / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copyfile(source, target)
            continue
        text = source.read_text()
        target.write_text(for_site(text))
        for link in links(text):
            to = (source.parent / link).resolve()
            if to.is_file() and to.is_relative_to(REPOSITORY):
                waiting.append(str(to.relative_to(REPOSITORY)))
    (PAGES / REFERENCE).write_text(openapi.page(REPOSITORY / "Sources/Admin/openapi.yaml"))


def navigation() -> list:
    """The sections of the index; the pages of docs/behavior stand below it, and the reference beside the admin API."""
    sections: list = [{"Home": "README.md"}, {"All documents": INDEX}]
    for part in re.split(r"^## ", (REPOSITORY / INDEX).read_text(), flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        entries = []
        for name, link in re.findall(r"^- \[([^\]]+)\]\(([^)]+)\)", body, re.M):
            path = str(((REPOSITORY / INDEX).parent / link).resolve().relative_to(REPOSITORY))
            if path == "docs/behavior/README.md":
                entries.append({name: [{"Overview": path}, *behavior()]})
            else:
                entries.append({name: path})
            if path == "docs/admin-api.md":
                entries.append({"API reference": REFERENCE})
        sections.append({title: entries})
    return sections


def behavior() -> list:
    text = (REPOSITORY / "docs/behavior/README.md").read_text()
    return [{name: f"docs/behavior/{link}"} for name, link in re.findall(r"^\| \[([^\]]+)\]\(([^)]+)\) \|", text, re.M)]


if __name__ == "__main__":
    from pygments.formatters import HtmlFormatter

    collect()
    (PAGES / "site.css").write_text(STYLE + HtmlFormatter(style="default").get_style_defs(".highlight"))
