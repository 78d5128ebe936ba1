"""Compares answers of the admin API with what the OpenAPI document says of their routes."""

import functools
import re
from pathlib import Path

import httpx
import jsonschema_rs
import yaml

from pushpit.blocking.admin import Admin
from pushpit.http import Request

DOCUMENT = Path(__file__).resolve().parents[2] / "Sources/Admin/openapi.yaml"


@functools.cache
def document() -> dict:
    """The document in the repository; a test compares it with what the program serves."""
    return yaml.load(DOCUMENT.read_text(), yaml.CSafeLoader)


def operations() -> set[tuple[str, str]]:
    return {(method, path) for path, item in document()["paths"].items() for method in item}


@functools.cache
def routes() -> list[tuple[re.Pattern, str]]:
    """Paths as patterns, those without placeholders first."""
    paths = sorted(document()["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), path) for path in paths]


@functools.cache
def validator(path: str, method: str, status: int) -> jsonschema_rs.Draft202012Validator:
    answers = document()["paths"][path][method]["responses"]
    assert str(status) in answers, f"{method} {path} does not describe {status}"
    answer = answers[str(status)]
    if "$ref" in answer:
        answer = document()["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    schema = answer["content"]["application/json"]["schema"]
    return jsonschema_rs.Draft202012Validator(schema | {"components": document()["components"]})


def check(method: str, path: str, status: int, answer: object) -> None:
    """Raises an error if an answer is not as described."""
    route = next((route for pattern, route in routes() if pattern.fullmatch(path)), None)
    if route is not None and method.lower() in document()["paths"][route]:
        validator(route, method.lower(), status).validate(answer)


def check_response(response: httpx.Response) -> None:
    """A hook of httpx."""
    if response.headers.get("content-type", "").partition(";")[0] == "application/json":
        response.read()
        check(response.request.method, response.request.url.path, response.status_code, response.json())


class CheckedAdmin(Admin):
    """The library's way to the admin API; each answer is compared with the document."""

    def exchange(self, request: Request, timeout: float | None = None) -> tuple[int, bytes]:
        status, content = super().exchange(request, timeout)
        answer = request.json(content)
        if answer is not None:
            check(request.method, request.path, status, answer)
        return status, content


def assert_error(response: httpx.Response, *statuses: int, field: str | None = None) -> None:
    assert response.status_code in statuses, f"{response.status_code} {response.text}"
    assert response.headers["content-type"].split(";")[0] == "application/json"
    body = response.json()
    assert set(body) <= {"error", "code", "field", "path"} and len(body["error"].split()) >= 3, body
    if field is not None:
        assert body["field"] == field, body
