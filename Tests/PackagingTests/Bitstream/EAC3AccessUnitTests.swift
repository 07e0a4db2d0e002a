// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Packets of E-AC-3")
struct EAC3AccessUnitTests {
    /// A 5.1 frame of independent substream 0, and one of a dependent substream.
    ///
    /// - Parameter map: chanmap of the dependent substream.
    private static func packet(_ map: UInt16) -> [UInt8] {
        func frame(_ start: [UInt8]) -> [UInt8] { start + [UInt8](repeating: 0, count: 32 - start.count) }
        let (high, low) = (UInt8(map >> 12), UInt8(truncatingIfNeeded: map >> 4))
        let dependent = [0x0B, 0x77, 0x40, 0x0F, 0x3F, 0x80, 0x10 | high, low, UInt8(truncatingIfNeeded: map << 4)]
        return frame([0x0B, 0x77, 0x00, 0x0F, 0x3F, 0x80]) + frame(dependent)
    }

    @Test(
        "a dependent substream adds the channels that the independent one has no place for",
        arguments: [(0xF800, 6), (0x0200, 8), (0x0300, 9), (0x0002, 7), (0x0270, 14)] as [(UInt16, Int)]
    )
    func channels(map: UInt16, count: Int) throws {
        #expect(try EAC3AccessUnit(Self.packet(map)).channels == count)
    }

    @Test("no program has more than 16 channels")
    func limit() {
        let error = #expect(throws: PackagingError.self) { try EAC3AccessUnit(Self.packet(0xFFFF)) }
        #expect(error?.message.contains("22 channels") == true)
    }
}
