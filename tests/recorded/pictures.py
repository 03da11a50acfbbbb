"""Pictures as what they show, not as how they are packed.

A PNG is compared by its pixels and by its other chunks, so that another version of zlib or another
choice of filters makes no difference, and a single byte of a pixel does. A PDF is compared line by
line with its streams unpacked.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from dataclasses import dataclass, field

SIGNATURE = b"\x89PNG\r\n\x1a\n"
DIGEST = b"digest of a PNG"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by the colour type


@dataclass
class Frame:
    """One picture of a PNG; an animation has several. The stream is what zlib unpacked."""

    width: int
    height: int
    packed: bytes = b""
    stream: bytes = b""


@dataclass
class Png:
    depth: int = 8
    channels: int = 4
    frames: list[Frame] = field(default_factory=list)
    others: list[tuple[str, bytes]] = field(default_factory=list)  # chunks without pixels


def read_png(data: bytes) -> Png:
    """The chunks of a PNG; ValueError if it is none or is cut."""
    if not data.startswith(SIGNATURE):
        raise ValueError("is no PNG")
    png = Png()
    position = len(SIGNATURE)
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4:position + 8].decode("latin-1")
        body = data[position + 8:position + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, position + 8 + length)
        if checksum != zlib.crc32(data[position + 4:position + 8 + length]):
            raise ValueError(f"chunk {kind} has a wrong checksum")
        position += 12 + length
        _add_chunk(png, kind, body)
    for frame in png.frames:
        frame.stream = zlib.decompress(frame.packed)
    return png


def _add_chunk(png: Png, kind: str, body: bytes) -> None:
    if kind == "IDAT":
        png.frames[0].packed += body
    elif kind == "fdAT":
        png.frames[-1].packed += body[4:]
    else:
        png.others.append((kind, body))
    if kind == "IHDR":
        width, height, png.depth, colour = struct.unpack_from(">IIBB", body)
        png.channels = CHANNELS[colour]
        png.frames.append(Frame(width, height))
    elif kind == "fcTL" and png.frames[0].packed:
        png.frames.append(Frame(*struct.unpack_from(">II", body, 4)))


def pixel_rows(png: Png, frame: Frame) -> list[bytes]:
    """The rows of a frame without their filters (PNG specification, section 9)."""
    step = max(1, png.channels * png.depth // 8)
    stride = (frame.width * png.channels * png.depth + 7) // 8
    above = bytes(stride)
    rows = []
    for y in range(frame.height):
        begin = y * (stride + 1)
        above = _unfiltered(frame.stream[begin], frame.stream[begin + 1:begin + 1 + stride], above,
                            step)
        rows.append(above)
    return rows


def _unfiltered(kind: int, line: bytes, above: bytes, step: int) -> bytes:
    if kind == 0:
        return line
    row = bytearray(line)
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        else:
            guess = _paeth(left, above[i], corner)
        row[i] = (row[i] + guess) & 255
    return bytes(row)


def _paeth(left: int, above: int, corner: int) -> int:
    estimate = left + above - corner
    distances = [abs(estimate - left), abs(estimate - above), abs(estimate - corner)]
    return (left, above, corner)[distances.index(min(distances))]


def png_difference(recorded: bytes, now: bytes) -> tuple[str, str, str] | None:
    """Place, what is recorded and what is there now, of the first difference."""
    if recorded == now:
        return None
    old = read_png(recorded)
    try:
        new = read_png(now)
    except (ValueError, KeyError, IndexError, struct.error, zlib.error) as error:
        return "file", "a PNG", f"unreadable ({error})"
    for (old_kind, old_body), (new_kind, new_body) in zip(old.others, new.others):
        if (old_kind, old_body) != (new_kind, new_body):
            return (f"chunk {old_kind}", old_body[:40].hex(),
                    f"{new_kind} {new_body[:40].hex()}" if new_kind != old_kind
                    else new_body[:40].hex())
    if len(old.others) != len(new.others):
        return "chunks", str(len(old.others)), str(len(new.others))
    for index, (one, other) in enumerate(zip(old.frames, new.frames)):
        if one.stream != other.stream:
            found = _pixel_difference(old, one, other)
            if found:
                place, *values = found
                frame = f"frame {index + 1}, " if len(old.frames) > 1 else ""
                return frame + place, *values
    return None


def _pixel_difference(png: Png, one: Frame, other: Frame) -> tuple[str, str, str] | None:
    step = max(1, png.channels * png.depth // 8)
    for y, (old, new) in enumerate(zip(pixel_rows(png, one), pixel_rows(png, other))):
        for x in range(0, len(old), step):
            if old[x:x + step] != new[x:x + step]:
                return f"pixel ({x // step}, {y})", old[x:x + step].hex(), new[x:x + step].hex()
    return None


def pdf_lines(data: bytes) -> list[str]:
    """A PDF as lines, its streams unpacked."""
    def unpacked(match: re.Match[bytes]) -> bytes:
        try:
            # Not zlib.decompress: a checksum that ends in a byte like a line end is cut by one.
            return b"stream\n" + zlib.decompressobj().decompress(match[1]) + b"\nendstream"
        except zlib.error:
            return match[0]
    whole = re.sub(rb"stream\r?\n(.*?)\r?\n?endstream", unpacked, data, flags=re.DOTALL)
    return whole.decode("latin-1").split("\n")


def png_digest(data: bytes, varying_rows: range = range(0), rows_a_line: int = 8) -> bytes:
    """For a PNG that is too large to be kept: its chunks, and a hash of every row as it was filtered.

    Rows that are not the same in every run have a mark in place of the hash.
    """
    png = read_png(data)
    lines = [DIGEST.decode()]
    lines += [f"chunk {kind}: {body.hex() if len(body) <= 32 else _hash(body)}"
              for kind, body in png.others]
    for index, frame in enumerate(png.frames, 1):
        stride = (frame.width * png.channels * png.depth + 7) // 8 + 1
        hashes = ["<varies>" if y in varying_rows else
                  _hash(frame.stream[y * stride:(y + 1) * stride]) for y in range(frame.height)]
        lines += [f"frame {index} rows {y}-{min(y + rows_a_line, frame.height) - 1}: "
                  + " ".join(hashes[y:y + rows_a_line]) for y in range(0, frame.height, rows_a_line)]
    return ("\n".join(lines) + "\n").encode()


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=4).hexdigest()
