"""The reference of the admin API as a page of Markdown, from its OpenAPI document."""

import html
import json
import re
from pathlib import Path

import yaml

METHODS = ("get", "put", "post", "delete")
LIMITS = {
    "format": "format {}",
    "const": "always {}",
    "pattern": "pattern {}",
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "default": "default {}",
    "example": "for example {}",
}


def code(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "<code>" + html.escape(text, quote=False).replace("|", "&#124;") + "</code>"


def cell(text: str) -> str:
    """Returns a text as one line that stays within its column."""
    text = " ".join(str(text).split())
    return re.sub(r"`([^`]+)`|\|", lambda match: code(match[1]) if match[1] else "&#124;", text)


def anchor(reference: str) -> str:
    return "schema-" + reference.rpartition("/")[2].lower()


class Reference:
    def __init__(self, document: dict):
        self.document = document
        self.lines: list[str] = []

    def resolve(self, part: dict) -> dict:
        """The target of a reference into the document."""
        while "$ref" in part:
            target: dict = self.document
            for name in part["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            part = target
        return part

    def write(self, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            if paragraph.strip():
                self.lines += [paragraph.rstrip(), ""]

    def table(self, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        if rows:
            lines = [head, ("---",) * len(head), *rows]
            self.write("\n".join("| " + " | ".join(row) + " |" for row in lines))

    # Types

    def type_of(self, schema: dict) -> str:
        if "$ref" in schema:
            return f"[{schema['$ref'].rpartition('/')[2]}](#{anchor(schema['$ref'])})"
        for several, word in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
            if several in schema:
                return word.join(dict.fromkeys(self.type_of(part) for part in schema[several]))
        if "enum" in schema:
            return ", ".join(code(value) for value in schema["enum"])
        kind = schema.get("type", "any JSON")
        if kind == "array":
            return "list of " + self.type_of(schema.get("items", {}))
        if isinstance(schema.get("additionalProperties"), dict):
            return "members of " + self.type_of(schema["additionalProperties"])
        return " or ".join(kind) if isinstance(kind, list) else kind

    def remarks(self, schema: dict) -> str:
        limits = [words.format(code(schema[key])) for key, words in LIMITS.items() if key in schema]
        return " ".join(filter(None, [cell(schema.get("description", "")), cell_list(limits)]))

    def members(self, schema: dict, prefix: str = "") -> list[tuple[str, ...]]:
        """A row for each member, including those of nested objects."""
        rows = []
        required = schema.get("required", [])
        for name, member in schema.get("properties", {}).items():
            path = f"{prefix}{name}"
            rows.append((code(path), "yes" if name in required else "", self.type_of(member), self.remarks(member)))
            rows += self.within(member, path)
        for several in ("oneOf", "anyOf", "allOf"):
            for part in schema.get(several, []):
                if "$ref" not in part:
                    rows += self.members(part, prefix)
        return list(dict.fromkeys(rows))

    def within(self, schema: dict, path: str) -> list[tuple[str, ...]]:
        if "$ref" in schema:
            return []
        if schema.get("type") == "array":
            return self.within(schema.get("items", {}), f"{path}[]")
        return self.members(schema, f"{path}.")

    def shape(self, schema: dict) -> None:
        variants = [part for part in schema.get("oneOf", []) if "title" in part]
        if variants:
            for part in variants:
                self.write(f"**{part['title']}.** {part.get('description', '')}")
                self.shape(part)
            return
        rows = self.within(schema, "") if schema.get("type") == "array" else self.members(schema)
        rows = [(row[0].replace("<code>[].", "<code>"), *row[1:]) for row in rows]
        if not rows:
            self.write(f"Type: {self.type_of(schema)}. {self.limits(schema)}")
        self.table(("member", "always", "type", ""), rows)

    def limits(self, schema: dict) -> str:
        return self.remarks({key: value for key, value in schema.items() if key != "description"})

    # Parts of the page

    def content(self, part: dict) -> None:
        for kind, media in part.get("content", {}).items():
            schema = media.get("schema", {})
            if kind != "application/json":
                self.write(f"`{kind}`")
            elif "$ref" in schema:
                self.write(f"JSON: {self.type_of(schema)}")
            else:
                self.shape(schema)
            examples = [media["example"]] if "example" in media else []
            examples += [example.get("value") for example in media.get("examples", {}).values()]
            for example in examples:
                self.write("```json\n" + json.dumps(example, ensure_ascii=False, indent=1, default=str) + "\n```")

    def operation(self, path: str, method: str, item: dict, operation: dict) -> None:
        self.write(f"### {method.upper()} {path} {{#{operation['operationId'].lower()}}}")
        self.write(f"{operation['summary']}.", operation.get("description", ""))
        parameters = [self.resolve(p) for p in [*item.get("parameters", []), *operation.get("parameters", [])]]
        rows = []
        for parameter in parameters:
            schema = parameter["schema"] | {key: parameter[key] for key in ("example",) if key in parameter}
            remarks = " ".join(filter(None, [cell(parameter.get("description", "")), self.limits(schema)]))
            rows.append((code(parameter["name"]), parameter["in"], self.type_of(parameter["schema"]), remarks))
        self.table(("parameter", "in", "type", ""), rows)
        if "requestBody" in operation:
            body = self.resolve(operation["requestBody"])
            self.write("**Body**" + ("" if body.get("required") else " (may be omitted)"))
            self.content(body)
        refusals = []
        for status, response in operation["responses"].items():
            answer = self.resolve(response)
            if status.startswith("2"):
                self.write(f"**{status}** {answer['description']}")
                self.content(answer)
            else:
                refusals.append((status, cell(answer["description"])))
        self.table(("error", "when"), refusals)

    def page(self) -> str:
        info = self.document["info"]
        self.write("# API reference", info["summary"], info["description"])
        self.write("Made from the OpenAPI document, which a running server has at `/openapi.yaml`.")
        for tag in self.document["tags"]:
            self.write(f"## {tag['name'].capitalize()} {{#tag-{tag['name']}}}", tag.get("description", ""))
            for path, item in self.document["paths"].items():
                for method in METHODS:
                    if tag["name"] in item.get(method, {}).get("tags", []):
                        self.operation(path, method, item, item[method])
        self.write("## Types {#types}")
        for name, schema in self.document["components"]["schemas"].items():
            self.write(f"### {name} {{#{anchor(name)}}}", schema.get("description", ""))
            self.shape(schema)
        return "\n".join(self.lines)


def cell_list(limits: list[str]) -> str:
    return f"({', '.join(limits)})" if limits else ""


def page(path: Path) -> str:
    return Reference(yaml.load(path.read_text(), yaml.CSafeLoader)).page()
