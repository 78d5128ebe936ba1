"""The files of deb and tarball below their prefix: program, completions, manual, profiles, scenarios, documents."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import BinaryIO

from elftools.elf.elffile import ELFFile

from common import REPOSITORY, Source, put, put_folder, run, write
from manual import pages

# Where each shell looks for completions, below the prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/pushpit",
    "zsh": "share/zsh/vendor-completions/_pushpit",
    "fish": "share/fish/vendor_completions.d/pushpit.fish",
}


# The compiler's hashes of its intermediate code, with which it skips unchanged modules, and the linker's build id. In
# two clean builds of the same sources on the same path, nothing else differed (Swift 6.3.1). Nothing reads the hash.
MODULE_HASH = ".swift_modhash"
BUILD_ID = ".note.gnu.build-id"
# Of the note, before the id: three lengths of 4 bytes, and the name "GNU".
NOTE_HEAD = 16


def put_program(source: Source, place: Path) -> None:
    put(source.binary, place, executable=True)
    run("strip", "--strip-all", place)
    with place.open("r+b") as program:
        program.write(with_own_hashes(program))


def with_own_hashes(program: BinaryIO) -> bytes:
    """The program without the module's hash, and with an id of its own content. The sections stay: where GNU strip
    removes one, it can lose the segment that makes relocations read-only."""
    sections = ELFFile(program)
    places = []
    for name, head in ((MODULE_HASH, 0), (BUILD_ID, NOTE_HEAD)):
        section = sections.get_section_by_name(name)
        start, end = (section["sh_offset"], section["sh_offset"] + section["sh_size"]) if section else (0, 0)
        places.append(slice(min(start + head, end), end))
    program.seek(0)
    content = bytearray(program.read())
    for place in places:
        content[place] = bytes(place.stop - place.start)
    build_id = places[-1]
    content[build_id] = hashlib.sha512(content).digest()[: build_id.stop - build_id.start]
    program.seek(0)
    return bytes(content)


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
