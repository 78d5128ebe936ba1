"""MkDocs hooks, in addition to mkdocs.yml."""

import logging
import re

from collect import navigation
from markdown_it import MarkdownIt

# A warning makes a strict build fail.
LOG = logging.getLogger("mkdocs.hooks.pushpit")
COUNTED = ("<li>", "<pre>", "<table>", "<tr>", "<blockquote>")
GITHUB = MarkdownIt("commonmark").enable("table")


def slug(heading: str, _: str = "-") -> str:
    """Anchors as GitHub makes them, because links are written for both."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = slug
    config.nav = navigation()
    return config


def on_page_content(html, page, config, files):
    """Warns of lists, blocks and tables that differ from GitHub's: Python-Markdown reads some indents differently."""
    github = GITHUB.render(page.markdown)
    for tag in COUNTED:
        name = tag.strip("<>")
        here, there = (len(re.findall(rf"<{name}[ >]", text)) for text in (html, github))
        if here != there:
            LOG.warning("%s has %s times %s on the site, and %s times at GitHub", page.file.src_uri, here, tag, there)
