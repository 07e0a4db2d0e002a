// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineActors

@Suite("Bytes as text")
struct HexadecimalTests {
    @Test("there and back; anything else is refused")
    func roundTrip() {
        #expect(Hexadecimal.text([0, 1, 0xAB, 255]) == "0001abff")
        #expect(Hexadecimal.bytes("0001abff") == [0, 1, 0xAB, 255])
        #expect(Hexadecimal.bytes("0") == nil && Hexadecimal.bytes("0G") == nil && Hexadecimal.bytes("AB") == nil)
    }
}
