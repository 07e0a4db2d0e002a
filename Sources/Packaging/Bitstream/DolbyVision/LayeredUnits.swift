// SPDX-License-Identifier: Apache-2.0

/// The NAL units of a packet, classified by their role in Dolby Vision and by the picture they belong to.
///
/// Parsers and muxers assign everything after an end of sequence NAL unit to the next picture, although the RPU of the
/// previous picture may follow it.
struct LayeredUnits {
    enum Kind { case base, end, enhancement, metadata }

    struct Unit {
        var kind: Kind
        var range: Range<Int>
    }

    /// Units of the previous picture, at the start of the packet.
    let restOfPrevious: ArraySlice<Unit>
    let own: ArraySlice<Unit>

    init(_ packet: Span<UInt8>, framing: NALFraming) throws(PackagingError) {
        self.init(packet, try framing.units(in: packet))
    }

    /// For callers that only search the packet for units of another picture. `nil` if the packet cannot be divided into
    /// NAL units; that error is reported when the packet itself becomes a sample.
    init?(searching packet: Span<UInt8>, framing: NALFraming) {
        guard let ranges = framing.unitsToSearch(in: packet) else { return nil }
        self.init(packet, ranges)
    }

    private init(_ packet: Span<UInt8>, _ ranges: [Range<Int>]) {
        let units = ranges.map { Unit(kind: Self.kind(of: packet, $0), range: $0) }
        let restCount =
            if units.first?.kind == .end || units.allSatisfy({ $0.kind != .base }) {
                units.prefix { $0.kind != .base }.count
            } else {
                0
            }
        restOfPrevious = units[..<restCount]
        own = units[restCount...]
    }

    /// Whether the packet, judging by its first unit, may begin with units of the previous picture.
    static func mayBeginWithRest(_ packet: Span<UInt8>, framing: NALFraming) -> Bool {
        let first =
            switch framing {
            case .annexB: AnnexB.startCode(in: packet, from: 0).map { $0 + 3 }
            case .lengthPrefixed(let size): size
            }
        guard let first, first + 1 < packet.count else { return false }
        return kind(of: packet, first..<(first + 2)) != .base
    }

    private static func kind(of packet: Span<UInt8>, _ unit: Range<Int>) -> Kind {
        guard unit.count > 1 else { return .base }
        let header = packet[unit.lowerBound]
        let type = HEVC.unitType(header)
        if type == HEVC.referenceProcessingUnit { return .metadata }
        if type == HEVC.enhancementLayer || HEVC.layer(header, packet[unit.lowerBound + 1]) > 0 { return .enhancement }
        return HEVC.ends.contains(type) ? .end : .base
    }
}
