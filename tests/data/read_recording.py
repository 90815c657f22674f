#!/usr/bin/env python3
"""Read the tables of a DepScope recording: read_recording.py FILE [TABLE COLUMN]. See docs/recording-format.md."""
import array, itertools, struct, sys, zipfile

CODES = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q"}


def read_table(data):
    """Columns of one member of tables/, by name."""
    assert data[:8] == b"DSTABLE1"
    (count,), at, columns = struct.unpack_from("<I", data, 8), 12, {}
    for _ in range(count):
        length = struct.unpack_from("<H", data, at)[0]
        name, at = data[at + 2:at + 2 + length].decode(), at + 2 + length
        kind, transform, rows, size = struct.unpack_from("<4sBQQ", data, at)
        code, raw, at = CODES[kind.rstrip(b"\0").decode()], data[at + 21:at + 21 + size], at + 21 + size
        width = array.array(code).itemsize
        if transform & 2:  # byte planes
            raw = b"".join(bytes(value) for value in zip(*(raw[i * rows:(i + 1) * rows] for i in range(width))))
        if transform & 1:  # differences
            sums = itertools.accumulate(array.array(code.upper(), raw), lambda a, b: (a + b) % (1 << 8 * width))
            raw = array.array(code.upper(), sums).tobytes()
        columns[name] = array.array(code, raw)
    return columns


with zipfile.ZipFile(sys.argv[1]) as recording:
    tables = {n[7:]: read_table(recording.read(n)) for n in recording.namelist() if n.startswith("tables/")}
print(*(tables[sys.argv[2]][sys.argv[3]] if sys.argv[2:] else (f"{t} {len(next(iter(c.values())))}" for t, c in tables.items())), sep="\n")
