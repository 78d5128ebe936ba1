"""scripts/node-types: the types of the Node library, from the documents of the program."""

import runpy

from program import REPOSITORY


def test_types_of_the_node_library_are_those_that_the_documents_generate():
    made = runpy.run_path(str(REPOSITORY / "scripts/node-types"))["generated"]()
    assert list(made) == ["api.d.ts", "scenario.d.ts"]
    for name, text in made.items():
        stands = (REPOSITORY / "Clients/node/lib" / name).read_text()
        assert text == stands, f"{name} is old: run .venv/bin/python scripts/node-types"
