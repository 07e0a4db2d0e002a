// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite(.timeLimit(.minutes(10))) struct DolbyVisionMappingTests {
    private static let script = RPUScript(name: "", rpuProfile: 0, isFullRange: true)

    /// An AV1 temporal unit with `bytes`, the payload of an RPU, in its container (ETSI TS 102 366, annex H).
    private static func temporalUnit(_ bytes: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        for (value, width) in [(0, 2), (6, 3), (31, 5), (6, 5), (1, 1), (1, 5), (0, 1), (1, 5)] as [(UInt32, Int)] {
            writer.bits(value, width)
        }
        if bytes.count > 255 {
            writer.bits(UInt32(bytes.count >> 8) - 1, 8)
            writer.bits(1, 1)
        }
        writer.bits(UInt32(bytes.count & 255), 8)
        writer.bits(0, 1)
        for byte in bytes { writer.bits(UInt32(byte), 8) }
        writer.alignToByte()
        let payload: [UInt8] = [4, 0xB5, 0, 0x3B, 0, 0, 8, 0] + writer.bytes + [0x80]
        // A temporal delimiter, then a metadata OBU that extends to the end.
        return [0x12, 0, 0x28] + payload
    }

    private static func payload(_ unit: [UInt8]) throws -> [UInt8] {
        Array(try RawPayload.unescaped(unit).dropFirst(3))
    }

    @Test("an RPU in AV1 equals the same RPU in HEVC")
    func container() throws {
        let unit = Self.script.unit
        let found = try RPU(temporalUnit: Self.temporalUnit(Self.payload(unit)))
        #expect(try found == RPU(unit: unit))
    }

    @Test("a truncated or different container is rejected; without a container there is no RPU")
    func damage() throws {
        let whole = Self.temporalUnit(try Self.payload(Self.script.unit))
        for count in stride(from: 14, to: whole.count - 4, by: 7) {
            #expect(throws: PackagingError.self) { try RPU(temporalUnit: Array(whole[..<count])) }
        }
        var other = whole
        other[11] ^= 0x40
        #expect(throws: PackagingError.self) { try RPU(temporalUnit: other) }
        #expect(try RPU(temporalUnit: [0x12, 0]) == nil)
    }

    @Test("coefficients are scaled as specified")
    func numbers() throws {
        let rpu = try RPU(unit: Self.script.unit)
        let mapping = try #require(DolbyVisionMapping(rpu))
        let signal = try #require(rpu.color?.signal)
        #expect(mapping.isUsable && mapping.curves.count == 3)
        #expect(mapping.toNonlinear == signal.toRGB.map { Float($0) / 8192 })
        #expect(mapping.offset == signal.toRGBOffset.map { Float($0) / 268_435_456 })
        #expect(mapping.toLMS == signal.toLMS.map { Float($0) / 16384 })
        for (curve, source) in zip(mapping.curves, rpu.mapping?.curves ?? []) {
            #expect(curve.pivots.count == source.pivots.count && curve.pieces.count == source.pieces.count)
            #expect(curve.pivots.last == Float(source.pivots.reduce(0, +)) / 1023)
        }
    }

    @Test("an RPU that refers to an earlier one has no mapping of its own")
    func reference() throws {
        let rpu = try RPU(unit: RPUScript(name: "", layer: .full, previousID: 0).unit)
        #expect(DolbyVisionMapping(rpu) == nil)
    }
}
