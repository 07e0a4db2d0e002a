# SPDX-License-Identifier: Apache-2.0
"""Writes a film of numbered frames as field-coded H.264 (PAFF), which x264 does not produce.

    h264-fields.py COUNT FILE

An elementary stream (ITU-T H.264, Annex B) of frames like those of scripts/fixtures-numbered, 25 per second. Every
macroblock is I_PCM; every 25th frame begins with an IDR picture.
"""

import sys

WIDTH, HEIGHT, BITS, GROUP = 192, 96, 12, 25
# ue(v) of mb_type 25 in an I slice (table 7-11).
PCM = (26, 9)


class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def u(self, count, value):
        self.value, self.count = self.value << count | value, self.count + count
        return self

    def ue(self, value):
        return self.u(2 * (value + 1).bit_length() - 1, value + 1)

    def aligned(self):
        return self.u(-self.count % 8, 0)

    def bytes(self):
        """Ends with rbsp_trailing_bits."""
        self.u(1, 1).aligned()
        return self.value.to_bytes(self.count // 8, "big")


def unit(header, body):
    out, zeros = bytearray((0, 0, 0, 1, header)), 0
    for byte in body:
        if zeros == 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


def parameters():
    """Main profile, output order equal to decoding order, 25 frames per second."""
    sequence = Bits().u(8, 77).u(8, 0).u(8, 30).ue(0).ue(0).ue(2).ue(1).u(1, 0)
    sequence.ue(WIDTH // 16 - 1).ue(HEIGHT // 32 - 1).u(1, 0).u(1, 0).u(1, 1).u(1, 0)
    sequence.u(1, 1).u(1, 0).u(1, 0).u(1, 0).u(1, 0).u(1, 1).u(32, 1).u(32, 50).u(1, 1).u(1, 0).u(1, 0).u(1, 0).u(1, 0)
    picture = Bits().ue(0).ue(0).u(1, 0).u(1, 0).ue(0).ue(0).ue(0).u(1, 0).u(2, 0).ue(0).ue(0).ue(0).u(1, 1).u(1, 0).u(1, 0)
    return unit(0x67, sequence.bytes()) + unit(0x68, picture.bytes())


def field(number, is_bottom):
    is_idr = number % GROUP == 0 and not is_bottom
    # first_mb_in_slice, slice_type I, pic_parameter_set_id, frame_num, field_pic_flag, bottom_field_flag
    head = Bits().ue(0).ue(7).ue(0).u(4, number % GROUP % 16).u(1, 1).u(1, is_bottom)
    if is_idr:
        head.ue(number // GROUP % 2)
    # dec_ref_pic_marking, slice_qp_delta, disable_deblocking_filter_idc
    head.u(2 if is_idr else 1, 0).ue(0).ue(1)
    body, grey = b"", bytes([128]) * 128
    bits = head
    white = [number >> bit & 1 for bit in range(BITS - 1, -1, -1)]
    for row in range(HEIGHT // 32):
        for column in range(WIDTH // 16):
            # Lines of a field: 24 at the top, 24 below.
            luma = b"".join(
                bytes([235 if white[column] == (row * 16 + line < HEIGHT // 4) else 16]) * 16 for line in range(16))
            bits.u(PCM[1], PCM[0]).aligned()
            body += bits.value.to_bytes(bits.count // 8, "big") + luma + grey
            bits = Bits()
    return unit(0x65 if is_idr else 0x21, body + b"\x80")


def main(count, name):
    with open(name, "wb") as out:
        for number in range(int(count)):
            if number % GROUP == 0:
                out.write(parameters())
            out.write(field(number, 0) + field(number, 1))


main(*sys.argv[1:])
