"""Man pages from what the program says of itself (`--experimental-dump-help` of swift-argument-parser)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

Command = dict[str, Any]


def pages(command: Command, version: str, time: int, parents: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """File name and text of the page of a command, and of those below it."""
    names = (*parents, command["commandName"])
    below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    date = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
    title = "-".join(names)
    lines = [f'.TH {title.upper()} 1 {date} "Pushpit {version}" "Pushpit"', ".SH NAME"]
    lines.append(f"{escaped(title)} \\- {escaped(command['abstract'].rstrip('.'))}")
    lines += [".SH SYNOPSIS", *synopsis(names, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    options = [each for each in command.get("arguments", []) if each["kind"] != "positional"]
    positional = [each for each in command.get("arguments", []) if each["kind"] == "positional"]
    for heading, arguments in (("ARGUMENTS", positional), ("OPTIONS", options)):
        if arguments:
            lines += [f".SH {heading}", *(line for each in arguments for line in described(each))]
    if below:
        lines.append(".SH COMMANDS")
        for each in below:
            lines += [".TP", f".BR {escaped('-'.join((*names, each['commandName'])))} (1)", escaped(each["abstract"])]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(name)}\\fR(1)" for name in related(names, below))]
    yield f"{title}.1", "\n".join(lines) + "\n"
    for each in below:
        yield from pages(each, version, time, names)


def related(names: tuple[str, ...], below: list[Command]) -> list[str]:
    upward = ["-".join(names[:count]) for count in range(1, len(names))]
    downward = ["-".join((*names, each["commandName"])) for each in below]
    # The page of all settings is a command's output.
    return [*upward, *downward] or ["pushpit"]


def escaped(text: str) -> str:
    """Text that groff prints as it stands: no escapes, no dashes made of minus signs, no line that is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = text.replace("`", "\\(ga").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def paragraphs(text: str) -> Iterator[str]:
    """Lines that begin with spaces are commands with their explanation, and keep their line breaks."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        verbatim = any(line.startswith("  ") for line in lines)
        yield ".PP"
        if verbatim:
            yield ".nf"
        yield from (escaped(line) if line.strip() else "" for line in lines)
        if verbatim:
            yield ".fi"


def value(argument: Command) -> str:
    name = argument.get("valueName", "value")
    if "|" not in name or not all(part.isalnum() for part in name.split("|")):
        name = f"<{name}>"
    return f"\\fI{escaped(name)}\\fR"


def spelling(name: dict[str, str]) -> str:
    return f"\\fB{escaped(('--' if name['kind'] == 'long' else '-') + name['name'])}\\fR"


def synopsis(names: tuple[str, ...], command: Command) -> Iterator[str]:
    words = [f"\\fB{escaped(' '.join(names))}\\fR"]
    arguments = command.get("arguments", [])
    if command.get("subcommands") and not [each for each in arguments if each["kind"] == "positional"]:
        words.append("[\\fIcommand\\fR]")
    if any(each["kind"] != "positional" for each in arguments):
        words.append("[\\fIoptions\\fR]")
    for each in arguments:
        if each["kind"] == "positional":
            word = value(each) + (" ..." if each["isRepeating"] else "")
            words.append(f"[{word}]" if each["isOptional"] else word)
    yield " ".join(words)


def described(argument: Command) -> Iterator[str]:
    yield ".TP"
    if argument["kind"] == "positional":
        yield value(argument)
    else:
        names = ", ".join(spelling(name) for name in argument["names"])
        yield names if argument["kind"] == "flag" else f"{names} {value(argument)}"
    parts = [argument.get("abstract", ""), argument.get("discussion", "")]
    text = " ".join(part.replace("\n", " ") for part in parts if part)
    default = argument.get("defaultValue")
    if default and "(default:" not in text:
        text = f"{text} (default: {default})"
    yield escaped(text)
