#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Writes width_table.inc from Python's copy of the Unicode character database."""
import sys
import unicodedata as ud

END = 0x20000
EMPTY_WIDE = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)]


def is_zero(code):
    if code == 0xAD:
        return False
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return True
    return ud.category(chr(code)) in ("Mn", "Me", "Cf")


def is_wide(code):
    if any(low <= code <= high for low, high in EMPTY_WIDE):
        return True
    return ud.east_asian_width(chr(code)) in ("W", "F")


def ranges(test):
    first = None
    for code in range(0x80, END + 1):
        hit = code < END and test(code)
        if hit and first is None:
            first = code
        if not hit and first is not None:
            yield first, code - 1
            first = None


def emit(name, test):
    print(f"static const struct range {name}[] = {{")
    line = "   "
    for low, high in ranges(test):
        item = f" {{0x{low:X}, 0x{high:X}}},"
        if len(line) + len(item) > 98:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


print("// SPDX-License-Identifier: GPL-3.0-only")
print(f"/* Unicode {ud.unidata_version}, written by width_gen.py. */")
emit("zero_ranges", is_zero)
emit("wide_ranges", is_wide)
sys.exit(0)
