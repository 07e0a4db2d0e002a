# SPDX-License-Identifier: Apache-2.0
"""Seeds of the family `drawings`; see make-seeds.py."""

import struct


def messages(write):
    """Messages of the program that draws; events of a schedule, as `Draw` reads them; a white picture of 8 pixels."""
    def numbers(*values):
        return struct.pack(f"<{len(values)}q", *values)

    write("drawings", "setup", numbers(1, 1280, 720, 1920, 1080, 200, 4000, 70))
    write("drawings", "events", numbers(2, 1000, 1000, 2000, 40, 1500, 700, 12))
    write("drawings", "boxes", numbers(3, 0, 0, 64, 16, 100, 150, 40, 20, 110, 120, 10, 10))
    # A range up to 4.04 s, frames of 4/100 s; events at 13 and 29 times 40 ms, and one at the end of time.
    times = b"\x02\x65\x01" + b"\x03\x00\x63" + b"\x02" + b"\x0d\x01\x05\x00" + b"\x1d\x01\x0d\x01" + b"\x08\x00\x00"
    write("drawings", "times", times)
    write("drawings", "ink", b"\x04\x02\x01\x64" + b"\xff" * 32)
