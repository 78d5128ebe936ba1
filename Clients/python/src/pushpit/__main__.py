"""`python -m pushpit serve` runs the program. If the wheel contains it, the command `pushpit` does so, too."""

from __future__ import annotations

import os
import sys

from .errors import ProgramNotFoundError
from .program import find_program, program_inside


def main() -> None:
    # The command may itself be what PUSHPIT_BINARY or the PATH names; it prefers the program beside it.
    program = program_inside()
    if program is None:
        try:
            program = find_program()
        except ProgramNotFoundError as problem:
            sys.exit(f"Error: {problem}")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
