// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

@Suite struct SpliceInfoTests {
    /// Two of the example messages of ANSI/SCTE 35 §14, in base64.
    private static let timeSignal = "/DA0AAAAAAAA///wBQb+cr0AUAAeAhxDVUVJSAAAjn/PAAGlmbAICAAAAAAsoKGKNAIAmsnRfg=="
    private static let insert = "/DAvAAAAAAAA///wFAVIAACPf+/+c2nALv4AUsz1AAAAAAAKAAhDVUVJAAABNWLbowo="

    @Test("The standard's example of a placement opportunity is read")
    func opportunity() throws {
        let info = try SpliceInfo(try #require(SpliceMessage.bytes(Self.timeSignal)))
        #expect(info.command == .timeSignal(time: 0x0_72BD_0050))
        let segmentation = try #require(info.segmentations.first)
        #expect(info.segmentations.count == 1)
        #expect(segmentation.event == 0x4800_008E)
        #expect(segmentation.duration == 0x01_A599_B0)
        #expect(segmentation.type == 0x34)
        #expect(segmentation.breakEdge == .start)
        #expect(segmentation.identifierType == 8)
        #expect(segmentation.identifier == [0, 0, 0, 0, 0x2C, 0xA0, 0xA1, 0x8A])
        #expect(segmentation.number == 2)
        #expect(segmentation.count == 0)
    }

    @Test("The standard's example of a break is read")
    func inserted() throws {
        let info = try SpliceInfo(try #require(SpliceMessage.bytes(Self.insert)))
        var insert = SpliceInfo.Insert(event: 0x4800_008F)
        insert.isOut = true
        insert.time = 0x0_7369_C02E
        insert.duration = 0x0_0052_CCF5
        insert.returnsByItself = true
        #expect(info.command == .insert(insert))
        #expect(info.segmentations.isEmpty)
    }

    /// A section with its length and checksum.
    private static func section(_ head: [UInt8], _ command: [UInt8], _ tail: [UInt8]) -> [UInt8] {
        let body = head + command + tail
        let bytes = [0xFC, 0x30, UInt8(body.count + 4)] + body
        let sum = CRC32.checksum(of: bytes[...])
        return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    }

    /// Protocol version, adjustment of 2³³ − 1, tier, and the command's length and type.
    private static func head(_ length: Int, _ type: UInt8, flags: UInt8 = 1) -> [UInt8] {
        [0, flags, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF, 0xF0 | UInt8(length >> 8), UInt8(length & 0xFF), type]
    }

    @Test("Times are adjusted modulo 2³³; a command length that legacy senders leave out is derived")
    func adjusted() throws {
        let signal: [UInt8] = [0xFE, 0, 0, 0, 5]
        for length in [5, 0xFFF] {
            let info = try SpliceInfo(Self.section(Self.head(length, 6), signal, [0, 0]) + [1, 2, 3])
            #expect(info.command == .timeSignal(time: 4))
        }
        #expect(try SpliceInfo(Self.section(Self.head(1, 6), [0x7F], [0, 0])).command == .timeSignal(time: nil))
        #expect(try SpliceInfo(Self.section(Self.head(0, 0), [], [0, 0])).command == .null)
        #expect(try SpliceInfo(Self.section(Self.head(2, 0xFF), [1, 2], [0, 0])).command == .other(0xFF))
        #expect(try SpliceInfo(Self.section(Self.head(0xFFF, 0xFF), [1, 2], [])).command == .other(0xFF))
        var cancelled = SpliceInfo.Insert(event: 7)
        cancelled.isCancelled = true
        let insert: [UInt8] = [0, 0, 0, 7, 0xFF]
        #expect(try SpliceInfo(Self.section(Self.head(5, 5), insert, [0, 0])).command == .insert(cancelled))
    }

    @Test("Invalid messages are rejected")
    func refused() throws {
        let valid = try #require(SpliceMessage.bytes(Self.timeSignal))
        var damaged = valid
        // A byte of the splice time.
        damaged[17] ^= 1
        let cases: [([UInt8], PackagingError.Code)] = [
            ([], .truncated), (Array(valid.dropLast()), .truncated), ([0, 1, 2, 3], .malformed), (damaged, .malformed),
            (Self.section(Self.head(0, 0, flags: 0x81), [], [0, 0]), .unsupportedFeature),
            (Self.section(Self.head(1, 6), [0xFE, 0, 0, 0, 5], [0, 0]), .malformed),
            (
                Self.section(
                    Self.head(0, 0),
                    [],
                    [0, 20, 2, 7, 0x43, 0x55, 0x45, 0x49] + [UInt8](repeating: 0, count: 14)
                ), .malformed
            ),
            (Self.section(Self.head(0, 0), [], [0, 3, 2, 9, 0]), .malformed),
        ]
        for (bytes, code) in cases {
            let error = #expect(throws: PackagingError.self) { try SpliceInfo(bytes) }
            #expect(error?.code == code, "\(bytes)")
        }
    }
}
