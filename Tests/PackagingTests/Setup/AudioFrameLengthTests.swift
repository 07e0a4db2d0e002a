// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Durations of audio frames")
struct AudioFrameLengthTests {
    /// An AC-3 frame's header.
    ///
    /// - Parameters:
    ///   - code: fscod.
    ///   - version: bsid.
    private static func ac3(_ code: UInt8, version: UInt8) -> [UInt8] {
        [0x0B, 0x77, 0, 0, code << 6 | 28, version << 3, 0x40, 0] + [UInt8](repeating: 0, count: 12)
    }

    @Test(
        "AC-3 of versions 9 and 10 has half and a quarter of the rate that fscod names",
        arguments: [(0, 8, 48_000), (1, 8, 44_100), (2, 6, 32_000), (0, 9, 24_000), (1, 10, 11_025)]
            as [(UInt8, UInt8, Int)]
    )
    func ac3(_ code: UInt8, version: UInt8, rate: Int) {
        let found = AudioFrameLength(codec: .ac3, frame: Self.ac3(code, version: version))
        #expect(found?.samples == 1536 && found?.rate == rate)
    }

    @Test("reserved codes have no length", arguments: [(3, 8), (0, 11)] as [(UInt8, UInt8)])
    func reserved(_ code: UInt8, version: UInt8) {
        #expect(AudioFrameLength(codec: .ac3, frame: Self.ac3(code, version: version)) == nil)
    }
}
