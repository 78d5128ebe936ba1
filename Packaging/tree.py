"""What deb and tarball have below their prefix: program, completions, manual, profiles, scenarios, documents."""

from __future__ import annotations

import json
from pathlib import Path

from common import REPOSITORY, Source, put, put_folder, run, write
from manual import pages

# Where each shell looks for completions, below the prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/pushpit",
    "zsh": "share/zsh/vendor-completions/_pushpit",
    "fish": "share/fish/vendor_completions.d/pushpit.fish",
}


# The compiler's hashes of its intermediate code, with which it skips unchanged modules, and the linker's build id. In
# two clean builds of the same sources on the same path, nothing else differed (Swift 6.3.1). No program reads them.
HASHES = (".swift_modhash", ".note.gnu.build-id")


def put_program(source: Source, place: Path) -> None:
    put(source.binary, place, executable=True)
    run("strip", "--strip-all", *(f"--remove-section={name}" for name in HASHES), place)


def make_tree(source: Source, prefix: Path) -> None:
    put_program(source, prefix / "bin/pushpit")
    for shell, place in COMPLETIONS.items():
        script = run(source.binary, "--generate-completion-script", shell)
        # Shells read these files and never start them.
        write(script.removeprefix("#!/bin/bash\n").lstrip("\n"), prefix / place)
    help_text = json.loads(run(source.binary, "--experimental-dump-help"))
    for name, text in pages(help_text["command"], source.version, source.time):
        write(text, prefix / "share/man/man1" / name)
    put_folder(REPOSITORY / "Sources/Configuration/Profiles", prefix / "share/pushpit/profiles")
    for profile in (prefix / "share/pushpit/profiles").glob("*.swift"):
        profile.unlink()
    put_folder(REPOSITORY / "Scenarios", prefix / "share/pushpit/Scenarios")
    documents = prefix / "share/doc/pushpit"
    put(REPOSITORY / "README.md", documents / "README.md")
    put(REPOSITORY / "CHANGELOG.md", documents / "CHANGELOG.md")
    put_folder(REPOSITORY / "docs", documents / "docs")
    # Links between the documents stay good.
    (documents / "Scenarios").symlink_to("../../pushpit/Scenarios")
