"""Tests of the pages that `make docs` collects: API reference and navigation. `.ci/run` runs MkDocs itself."""

import re
import sys

import pytest
import yaml

from program import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "scripts/site"))

import collect
import openapi

pytestmark = pytest.mark.tools

SOURCE = REPOSITORY / "Sources/Admin/openapi.yaml"
DOCUMENT = yaml.load(SOURCE.read_text(), yaml.CSafeLoader)
PAGE = openapi.page(SOURCE)


def test_the_reference_has_every_operation_with_its_parameters():
    operations = [(path, method, item[method]) for path, item in DOCUMENT["paths"].items() for method in item]
    parts = dict(re.findall(r"^### ([A-Z]+ /[^\s]*) \{#\w+\}\n(.*?)(?=^##)", PAGE, re.S | re.M))
    assert len(operations) > 30 and len(parts) == sum(method in openapi.METHODS for _, method, _ in operations)
    reference = openapi.Reference(DOCUMENT)
    for path, method, operation in operations:
        if method not in openapi.METHODS:
            assert method == "parameters"
            continue
        part = parts[f"{method.upper()} {path}"]
        assert operation["summary"] in part
        for parameter in operation.get("parameters", []):
            assert f"| <code>{reference.resolve(parameter)['name']}</code> |" in part
        for status in operation["responses"]:
            assert f"**{status}**" in part or f"| {status} |" in part


def test_the_reference_has_every_type_and_its_links_lead_to_them():
    anchors = re.findall(r"\{#([\w-]+)\}$", PAGE, re.M)
    assert len(anchors) == len(set(anchors))
    assert {f"schema-{name.lower()}" for name in DOCUMENT["components"]["schemas"]} <= set(anchors)
    links = re.findall(r"\]\(#([\w-]+)\)", PAGE)
    assert len(links) > 100 and set(links) <= set(anchors)


def test_each_action_stands_with_its_own_members():
    action = re.search(r"^### Action \{.*?(?=^### )", PAGE, re.S | re.M)[0]
    for variant in DOCUMENT["components"]["schemas"]["Action"]["oneOf"]:
        part = action.split(f"**{variant['title']}.**")[1].split("\n**")[0]
        for member in variant["properties"]:
            assert f"| <code>{member}</code> |" in part, variant["title"]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("a|b", "a&#124;b"),
        ("`a|b`", "<code>a&#124;b</code>"),
        ("two\n  lines", "two lines"),
        ("`<x>`", "<code>&lt;x&gt;</code>"),
    ],
)
def test_a_text_keeps_to_its_column(text, row):
    assert openapi.cell(text) == row


def test_a_type_is_said_in_words():
    reference = openapi.Reference(DOCUMENT)
    assert reference.type_of({"type": ["string", "null"]}) == "string or null"
    assert reference.type_of({"enum": ["a", 1]}) == "<code>a</code>, <code>1</code>"
    assert (
        reference.type_of({"type": "array", "items": {"$ref": "#/components/schemas/App"}})
        == "list of [App](#schema-app)"
    )
    assert reference.type_of({"type": "object", "additionalProperties": {"type": "integer"}}) == "members of integer"
    rows = reference.members({"properties": {"a": {"type": "array", "items": {"properties": {"b": {"minimum": 1}}}}}})
    assert [row[0] for row in rows] == ["<code>a</code>", "<code>a[].b</code>"]
    assert rows[1][3] == "(at least <code>1</code>)"


def test_a_page_is_written_for_the_site():
    shown = collect.for_site("1. a\n\n   ```sh x\n   b\n   ```\n\n```python test_goal.py\nc\n```\n```yaml run\n```\n")
    assert shown == '1. a\n\n    ```sh\n    b\n    ```\n\n```python title="test_goal.py"\nc\n```\n```yaml\n```\n'
    assert collect.links("[a](b.md#c) `[d](e.md)` [f](https://g)\n```\n[h](i.md)\n```\n") == ["b.md"]


def paths(entries: list) -> list[str]:
    found = []
    for entry in entries:
        for value in entry.values():
            found += paths(value) if isinstance(value, list) else [value]
    return found


def test_the_navigation_leads_to_every_guide_and_every_page_of_how_we_know():
    listed = set(paths(collect.navigation()))
    written = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "docs").rglob("*.md")}
    assert written <= listed
    assert all((REPOSITORY / path).is_file() for path in listed - {collect.REFERENCE})
