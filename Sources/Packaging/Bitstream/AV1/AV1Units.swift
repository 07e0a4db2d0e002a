// SPDX-License-Identifier: Apache-2.0

/// Open bitstream units (OBUs) in the low-overhead format (AV1 bitstream specification §5.3).
enum AV1Units {
    static let sequenceHeader: UInt8 = 1
    static let temporalDelimiter: UInt8 = 2
    static let frameHeader: UInt8 = 3
    static let metadata: UInt8 = 5
    static let frame: UInt8 = 6

    /// One OBU; `whole` includes header and size field.
    struct Unit: Hashable, Sendable {
        var type: UInt8
        var whole: Range<Int>
        var payload: Range<Int>
    }

    private static let unitLimit = 1 << 14

    /// The OBU that starts at `index` in the first bytes of a packet, truncated if it extends past `bytes`. `nil` if
    /// its header is cut off or invalid, so that no further OBU can be found.
    static func leadingUnit(in bytes: Span<UInt8>, at index: Int) -> Unit? {
        do throws(PackagingError) { return try unit(in: bytes, at: index, isPrefix: true) } catch { return nil }
    }

    /// The OBU that starts at `index`. An OBU without a size field extends to the end.
    static func unit(in bytes: Span<UInt8>, at index: Int, isPrefix: Bool = false) throws(PackagingError) -> Unit {
        guard index < bytes.count else { throw PackagingError(.truncated, "AV1: no unit at byte \(index)") }
        let header = bytes[index]
        guard header & 0x80 == 0 else { throw PackagingError(.malformed, "AV1: the forbidden bit of a unit is set") }
        let type = header >> 3 & 0xF
        var begin = index + (header & 4 != 0 ? 2 : 1)
        var size = bytes.count - begin
        if header & 2 != 0 {
            var value: UInt64 = 0
            for shift in 0..<8 {
                guard begin < bytes.count else { throw PackagingError(.truncated, "AV1: a unit's size is cut off") }
                let byte = bytes[begin]
                begin += 1
                value |= UInt64(byte & 0x7F) << UInt64(shift * 7)
                if byte & 0x80 == 0 { break }
            }
            let available = UInt64(max(0, bytes.count - begin))
            guard isPrefix || value <= available else {
                throw PackagingError(.truncated, "AV1: a unit of \(value) bytes runs past the packet's end")
            }
            size = Int(min(value, available))
        }
        guard size >= 0 else { throw PackagingError(.truncated, "AV1: a unit's header is cut off") }
        return Unit(type: type, whole: index..<(begin + size), payload: begin..<(begin + size))
    }

    static func units(in bytes: Span<UInt8>) throws(PackagingError) -> [Unit] {
        var units: [Unit] = []
        var index = 0
        while index < bytes.count {
            let unit = try unit(in: bytes, at: index)
            units.append(unit)
            index = unit.whole.upperBound
            guard units.count <= unitLimit else {
                throw PackagingError(.limitExceeded, "AV1: more than \(unitLimit) units in one packet")
            }
        }
        return units
    }

    /// The OBUs of a packet that the caller only searches. Empty if the packet is malformed; that error is reported
    /// when the packet becomes a sample and `units(in:)` throws.
    static func unitsToSearch(in bytes: Span<UInt8>) -> [Unit] {
        do throws(PackagingError) { return try units(in: bytes) } catch { return [] }
    }

    /// The packet without its temporal delimiter OBUs. `nil` if it has none.
    static func withoutTemporalDelimiters(_ bytes: Span<UInt8>) throws(PackagingError) -> [UInt8]? {
        let units = try units(in: bytes)
        let kept = units.filter { $0.type != temporalDelimiter }
        if kept.count == units.count { return nil }
        return [UInt8](capacity: kept.reduce(0) { $0 + $1.whole.count }) { output in
            for unit in kept { output.append(bytes, unit.whole) }
        }
    }
}
