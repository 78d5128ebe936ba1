"""scripts/swift-types: the types of the Swift library, from the documents of the program."""

import re
import runpy

import answers
from program import REPOSITORY

FOLDER = REPOSITORY / "Sources/PushpitTesting/Generated"


def test_types_of_the_swift_library_are_those_that_the_documents_generate():
    made = runpy.run_path(str(REPOSITORY / "scripts/swift-types"))["generated"]()
    stand = {file.name: file.read_text() for file in FOLDER.iterdir()}
    assert sorted(made) == sorted(stand)
    old = [name for name, text in made.items() if text != stand[name]]
    assert not old, f"{', '.join(old)} are old: run .venv/bin/python scripts/swift-types"


def test_the_swift_library_offers_the_expectations_that_a_session_takes():
    offered = re.findall(r"static func (\w+)", (FOLDER / "Subject.swift").read_text())
    taken = answers.document()["components"]["schemas"]["Expectation"]["oneOf"]
    assert sorted(offered) == sorted(each["required"][0] for each in taken) and "connections" not in offered
