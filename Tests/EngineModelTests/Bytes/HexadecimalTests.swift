// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Bytes as hexadecimal text")
struct HexadecimalTests {
    @Test("bytes survive the round trip; text other than pairs of lower-case digits is rejected")
    func roundTrip() {
        #expect(Hexadecimal.text([0, 1, 0xAB, 255]) == "0001abff")
        #expect(Hexadecimal.bytes("0001abff") == [0, 1, 0xAB, 255])
        #expect(Hexadecimal.bytes("0") == nil && Hexadecimal.bytes("0G") == nil && Hexadecimal.bytes("AB") == nil)
    }
}
