// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Converts a packet of a Dolby Vision stream with a second layer to a sample without it.
package struct DolbyVisionPacking: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// Profile 8.1: the RPUs are rewritten for the base layer alone.
        case profile8
        /// HDR10: the RPUs are removed as well.
        case baseLayer
    }

    package var framing: NALFraming
    package var target: Target
    /// The framing of a second track with the enhancement layer and the RPUs. `nil` if everything is in one track.
    package var companion: NALFraming?

    package init(framing: NALFraming, target: Target, companion: NALFraming? = nil) {
        self.framing = framing
        self.target = target
        self.companion = companion
    }
}

/// Neighbouring packets that may contain parts of the same picture.
package struct PacketSurroundings: Sendable {
    /// The next packet in decoding order.
    package var next: (any ByteRegion)?
    /// The packet of the same picture in a second track.
    package var companion: (any ByteRegion)?
    /// The next packet of the second track in decoding order.
    package var companionNext: (any ByteRegion)?

    package init(
        next: (any ByteRegion)? = nil,
        companion: (any ByteRegion)? = nil,
        companionNext: (any ByteRegion)? = nil
    ) {
        self.next = next
        self.companion = companion
        self.companionNext = companionNext
    }
}

extension DolbyVisionPacking {
    private enum Piece {
        case kept(Range<Int>)
        case written([UInt8], LayeredUnits.Kind)

        var isMetadata: Bool {
            if case .written(_, .metadata) = self { true } else { false }
        }
    }

    /// Whether a packet contains only remaining units of the previous picture, so that it is not a sample.
    func isRest(_ packet: Span<UInt8>) -> Bool {
        guard LayeredUnits.mayBeginWithRest(packet, framing: framing) else { return false }
        return LayeredUnits(searching: packet, framing: framing)?.own.isEmpty == true
    }

    /// - Returns: the sample, or `nil` if it is identical to the packet; and whether an expected RPU is missing, in
    ///   which case this picture is HDR10.
    /// - Throws: if the packet contains no unit of the base layer, or cannot be divided into NAL units.
    func sample(
        of packet: Span<UInt8>,
        in surroundings: PacketSurroundings
    ) throws(PackagingError) -> (bytes: [UInt8]?, lacksMetadata: Bool) {
        let units = try LayeredUnits(packet, framing: framing)
        guard !units.own.isEmpty else {
            throw PackagingError(.malformed, "a packet has no base layer picture")
        }
        var pieces: [Piece] = []
        for unit in units.own {
            switch unit.kind {
            case .base, .end: pieces.append(.kept(unit.range))
            case .enhancement: continue
            case .metadata: pieces += converted([UInt8](copying: packet.extracting(unit.range)))
            }
        }
        if let next = surroundings.next { pieces += next.withBytes { rest(in: $0, framing) } }
        var hasMetadata = pieces.contains(where: \.isMetadata)
        if target == .profile8, !hasMetadata, companion != nil {
            let moved = metadata(in: surroundings)
            pieces.insert(contentsOf: moved, at: Self.end(of: pieces, packet))
            hasMetadata = !moved.isEmpty
        }
        let bytes = Self.joined(pieces, packet)
        let isSame = framing == .lengthPrefixed(4) && bytes.span.hasSameBytes(as: packet)
        return (isSame ? nil : bytes, target == .profile8 && !hasMetadata)
    }

    /// The units at the start of `packet` that belong to the previous picture, converted.
    private func rest(in packet: Span<UInt8>, _ framing: NALFraming) -> [Piece] {
        guard LayeredUnits.mayBeginWithRest(packet, framing: framing),
            let units = LayeredUnits(searching: packet, framing: framing)
        else { return [] }
        var pieces: [Piece] = []
        for unit in units.restOfPrevious {
            let bytes = [UInt8](copying: packet.extracting(unit.range))
            switch unit.kind {
            case .base, .end: pieces.append(.written(bytes, unit.kind))
            case .enhancement: continue
            case .metadata: pieces += converted(bytes)
            }
        }
        return pieces
    }

    /// The RPU, converted to profile 8.1. Empty if it is damaged or cannot be converted, or if `target` is the base
    /// layer.
    private func converted(_ unit: [UInt8]) -> [Piece] {
        guard target == .profile8 else { return [] }
        do throws(PackagingError) {
            guard let rpu = try RPU(unit: unit).convertedToProfile8() else { return [] }
            return [.written(rpu.unit(), .metadata)]
        } catch {
            // The picture is served as HDR10, and `sample(of:in:)` reports that its RPU is missing.
            return []
        }
    }

    /// The RPUs of the same picture in the second track, converted.
    private func metadata(in surroundings: PacketSurroundings) -> [Piece] {
        guard let framing = companion, let packet = surroundings.companion else { return [] }
        let own = packet.withBytes { bytes in
            let units = LayeredUnits(searching: bytes, framing: framing)?.own ?? []
            return units.flatMap { unit in
                unit.kind == .metadata ? converted([UInt8](copying: bytes.extracting(unit.range))) : []
            }
        }
        let behind = surroundings.companionNext?.withBytes { rest(in: $0, framing) } ?? []
        return own + behind.filter(\.isMetadata)
    }

    /// The index at which to insert an RPU: RPUs come last in a picture, before any end of sequence.
    private static func end(of pieces: [Piece], _ packet: Span<UInt8>) -> Int {
        pieces.lastIndex { piece in
            switch piece {
            case .kept(let unit): !HEVC.ends.contains(HEVC.unitType(packet[unit.lowerBound]))
            case .written(_, let kind): kind != .end
            }
        }.map { $0 + 1 } ?? 0
    }

    private static func joined(_ pieces: [Piece], _ packet: Span<UInt8>) -> [UInt8] {
        let size = pieces.reduce(0) { total, piece in
            switch piece {
            case .kept(let unit): total + 4 + unit.count
            case .written(let bytes, _): total + 4 + bytes.count
            }
        }
        return [UInt8](capacity: size) { output in
            for piece in pieces {
                switch piece {
                case .kept(let unit):
                    output.appendLength(unit.count)
                    output.append(packet, unit)
                case .written(let bytes, _):
                    output.appendLength(bytes.count)
                    output.append(bytes.span, bytes.indices)
                }
            }
        }
    }
}
