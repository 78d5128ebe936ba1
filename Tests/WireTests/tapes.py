"""Tapes as bytes, by the description of docs/tapes.md."""

import struct
import zlib

OPENING = b"pushpit tape 5\n"


def check(length: bytes) -> int:
    """The byte that guards a record's length: its CRC-32, folded."""
    crc = zlib.crc32(length)
    return (crc ^ crc >> 8 ^ crc >> 16 ^ crc >> 24) & 0xFF


def frame(payload: bytes) -> bytes:
    length = struct.pack("<I", len(payload))[:3]
    return length + bytes([check(length)]) + payload + struct.pack("<I", zlib.crc32(payload))


def frames(tape: bytes) -> list[bytes]:
    """The payloads of a tape."""
    assert tape.startswith(OPENING)
    found, place = [], len(OPENING)
    while place < len(tape):
        length = tape[place : place + 3]
        assert tape[place + 3] == check(length)
        count = int.from_bytes(length, "little")
        payload = tape[place + 4 : place + 4 + count]
        assert struct.unpack("<I", tape[place + 4 + count : place + 8 + count])[0] == zlib.crc32(payload)
        found.append(payload)
        place += 8 + count
    return found
