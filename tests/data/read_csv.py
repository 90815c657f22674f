#!/usr/bin/env python3
"""Read CSV as docs/export.md says: read_csv.py FILE.zip prints "TABLE ROWS COLUMNS"; read_csv.py FILE.zip TABLE COLUMN
TABLE COLUMN… prints the cells of columns as Python writes them, the guard in front of texts taken away."""
import csv, io, sys, zipfile

csv.field_size_limit(1 << 30)


def rows_of(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""), strict=True))


with zipfile.ZipFile(sys.argv[1]) as archive:
    tables = {name[:-4]: rows_of(archive.read(name)) for name in archive.namelist()}
for name, rows in tables.items():
    assert all(len(row) == len(rows[0]) for row in rows), name
if len(sys.argv) == 2:
    for name, rows in tables.items():
        print(name, len(rows) - 1, len(rows[0]))
for table, column in zip(sys.argv[2::2], sys.argv[3::2]):
    print("#", table, column)
    rows = tables[table]
    at = rows[0].index(column)
    for row in rows[1:]:
        print(ascii(row[at][1:] if row[at].startswith("'") else row[at]))
