// SPDX-License-Identifier: Apache-2.0

/// How a packet of a Dolby Vision stream with a second layer becomes a sample without one.
package struct DolbyVisionPacking: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// Profile 8.1: the metadata is rewritten for the base layer alone.
        case profile8
        /// HDR10: the metadata goes as well.
        case baseLayer
    }

    package var framing: NALFraming
    package var target: Target
    /// The framing of a second track that holds the enhancement layer and the metadata. `nil` where one track holds all.
    package var companion: NALFraming?

    package init(framing: NALFraming, target: Target, companion: NALFraming? = nil) {
        self.framing = framing
        self.target = target
        self.companion = companion
    }
}

extension DolbyVisionPacking {
    private enum Piece {
        case kept(Range<Int>)
        case written([UInt8])
    }

    /// - Parameters:
    ///   - packet: of the base layer's track.
    ///   - next: the packet behind it, which may begin with the rest of this picture.
    ///   - companion: the packet of the same picture in the second track.
    /// - Returns: the sample, `nil` when it is the packet itself, and whether metadata that should be there is not: this
    ///   picture is HDR10 then.
    /// - Throws: when the packet holds nothing of the base layer.
    func sample(
        of packet: Span<UInt8>,
        before next: [UInt8]?,
        companion: [UInt8]?
    ) throws(PackagingError) -> (bytes: [UInt8]?, lacksMetadata: Bool) {
        var pieces: [Piece] = []
        var hasMetadata = false
        let all = try framing.units(in: packet)
        let units = all.drop { Self.isRest(packet, $0) }
        var isSame = framing == .lengthPrefixed(4) && units.count == all.count
        for unit in units {
            switch Self.kind(of: packet, unit) {
            case .base: pieces.append(.kept(unit))
            case .enhancement: isSame = false
            case .metadata:
                let original = [UInt8](copying: packet.extracting(unit))
                guard target == .profile8, let converted = Self.converted(original) else {
                    isSame = false
                    continue
                }
                hasMetadata = true
                isSame = isSame && converted == original
                pieces.append(converted == original ? .kept(unit) : .written(converted))
            }
        }
        guard !units.isEmpty else {
            throw PackagingError(.malformed, "a packet without a picture of the base layer")
        }
        let behind = try next.map(rest(in:)) ?? (pieces: [], hasMetadata: false)
        pieces += behind.pieces
        hasMetadata = hasMetadata || behind.hasMetadata
        isSame = isSame && behind.pieces.isEmpty
        if target == .profile8, !hasMetadata, let companion {
            let moved = metadata(in: companion)
            pieces.insert(contentsOf: moved.map { .written($0) }, at: Self.end(of: pieces, packet))
            hasMetadata = !moved.isEmpty
            isSame = isSame && moved.isEmpty
        }
        return (isSame ? nil : Self.joined(pieces, packet), target == .profile8 && !hasMetadata)
    }

    /// What of the picture before `packet` it begins with, as it is kept.
    private func rest(in packet: [UInt8]) throws(PackagingError) -> (pieces: [Piece], hasMetadata: Bool) {
        guard beginsWithRest(packet.span) else { return ([], false) }
        var pieces: [Piece] = []
        var hasMetadata = false
        for unit in try framing.units(in: packet.span) {
            guard Self.isRest(packet.span, unit) else { break }
            switch Self.kind(of: packet.span, unit) {
            case .base: pieces.append(.written(Array(packet[unit])))
            case .enhancement: continue
            case .metadata:
                guard target == .profile8, let converted = Self.converted(Array(packet[unit])) else { continue }
                pieces.append(.written(converted))
                hasMetadata = true
            }
        }
        return (pieces, hasMetadata)
    }

    /// Whether a packet holds nothing but the rest of the picture before it.
    func isRest(_ packet: Span<UInt8>) -> Bool {
        guard beginsWithRest(packet), let units = try? framing.units(in: packet) else { return false }
        return units.allSatisfy { Self.isRest(packet, $0) }
    }

    /// Whether the first unit is the end of a sequence, of a second layer or metadata. Parsers and muxers take what
    /// follows the end of a sequence for the next picture's.
    func beginsWithRest(_ packet: Span<UInt8>) -> Bool {
        let first =
            switch framing {
            case .annexB: AnnexB.startCode(in: packet, from: 0).map { $0 + 3 }
            case .lengthPrefixed(let size): size
            }
        guard let first, first + 1 < packet.count else { return false }
        return Self.isRest(packet, first..<(first + 2))
    }

    private static func isRest(_ packet: Span<UInt8>, _ unit: Range<Int>) -> Bool {
        kind(of: packet, unit) != .base || HEVC.ends.contains(HEVC.unitType(packet[unit.lowerBound]))
    }

    private enum Kind { case base, enhancement, metadata }

    private static func kind(of packet: Span<UInt8>, _ unit: Range<Int>) -> Kind {
        guard unit.count > 1 else { return .base }
        let type = HEVC.unitType(packet[unit.lowerBound])
        if type == HEVC.referenceProcessingUnit { return .metadata }
        let layer = HEVC.layer(packet[unit.lowerBound], packet[unit.lowerBound + 1])
        return type == HEVC.enhancementLayer || layer > 0 ? .enhancement : .base
    }

    private static func converted(_ unit: [UInt8]) -> [UInt8]? { (try? RPU(unit: unit))?.convertedToProfile8()?.unit() }

    /// The metadata of a packet of the second track, rewritten.
    private func metadata(in packet: [UInt8]) -> [[UInt8]] {
        guard let units = try? companion?.units(in: packet.span) else { return [] }
        return units.compactMap { unit in
            unit.count > 2 && HEVC.unitType(packet[unit.lowerBound]) == HEVC.referenceProcessingUnit
                ? Self.converted(Array(packet[unit])) : nil
        }
    }

    /// Metadata is the last of a picture, before what ends the sequence.
    private static func end(of pieces: [Piece], _ packet: Span<UInt8>) -> Int {
        var end = pieces.count
        while end > 0, case .kept(let unit) = pieces[end - 1],
            HEVC.ends.contains(HEVC.unitType(packet[unit.lowerBound]))
        {
            end -= 1
        }
        return end
    }

    private static func joined(_ pieces: [Piece], _ packet: Span<UInt8>) -> [UInt8] {
        let size = pieces.reduce(0) { total, piece in
            switch piece {
            case .kept(let unit): total + 4 + unit.count
            case .written(let bytes): total + 4 + bytes.count
            }
        }
        return [UInt8](capacity: size) { output in
            for piece in pieces {
                switch piece {
                case .kept(let unit):
                    output.appendLength(unit.count)
                    output.append(packet, unit)
                case .written(let bytes):
                    output.appendLength(bytes.count)
                    output.append(bytes.span, bytes.indices)
                }
            }
        }
    }
}
