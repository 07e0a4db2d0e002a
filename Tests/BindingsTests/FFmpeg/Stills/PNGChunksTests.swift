// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite(.timeLimit(.minutes(10))) struct PNGChunksTests {
    @Test("A chunk is its length, type, data and checksum")
    func chunk() {
        // The last chunk of every PNG file.
        #expect(PNGChunks.chunk("IEND", []) == [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82])
        // The specification's example for PQ with BT.2020.
        let bytes = PNGChunks.chunk("cICP", [9, 16, 0, 1])
        #expect(bytes.count == 16 && Array(bytes[..<12]) == [0, 0, 0, 4] + Array("cICP".utf8) + [9, 16, 0, 1])
    }
}
