// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging
internal import Transfers

/// The parts of one segment that a server lists (draft-pantos-hls-rfc8216bis §4.4.4.9), and the next one that it hints
/// at. Pure.
package struct ListedParts: Hashable, Sendable {
    package private(set) var pieces: [ListedResource] = []
    /// How long each of the pieces lasts.
    package private(set) var durations: [MediaTime] = []
    /// The init segment of fMP4, which applies to all pieces.
    package private(set) var map: ListedResource?
    /// `nil` if the samples are in the clear.
    package private(set) var samples: SampleCipher?
    /// The next part of the segment, or the first part of the segment after it, which the server will have soon. `nil`
    /// if the server does not hint at one, or if the part cannot be requested before it is listed.
    package private(set) var hint: ListedResource?

    /// - Parameter sequence: the media sequence number of the segment.
    /// - Returns: `nil` if the parts do not make a segment: there are none, media is missing, the init segment or the encryption
    ///   of samples changes midway, or they cannot be decrypted.
    package init?(_ parts: [HLSPart], ofSegment sequence: Int64) {
        guard !parts.isEmpty else { return nil }
        do throws(HLSProtection.Failure) {
            try add(parts, sequence)
        } catch {
            return nil
        }
        guard pieces.count == parts.count else { return nil }
    }

    /// The parts of the segment that is not complete.
    ///
    /// - Returns: `nil` if the playlist is not live or states no target duration of parts, or if its parts do not make
    ///   a segment that continues the one before it. If it lists no parts yet, only `hint` is set.
    package init?(openIn playlist: HLSMediaPlaylist) {
        guard playlist.isLive, playlist.partTarget != nil, !playlist.isOpenDiscontinuous, !playlist.isOpenGap else {
            return nil
        }
        if !playlist.parts.isEmpty {
            guard let parts = Self(playlist.parts, ofSegment: playlist.nextSequence) else { return nil }
            self = parts
        }
        hint = Self.hint(in: playlist)
    }

    /// How long the pieces last.
    package var duration: MediaTime { durations.reduce(.zero) { $0 + $1 } }

    /// The same parts, reported as media of a list.
    func reported(as kind: RequestedObject.Kind) -> Self {
        var parts = self
        parts.pieces = pieces.map { $0.reported(as: kind) }
        parts.hint = hint?.reported(as: kind)
        return parts
    }

    /// The same parts, as resources with other URLs.
    func replacingPieces(by pieces: [ListedResource]) -> Self {
        var parts = self
        parts.pieces = pieces
        return parts
    }

    private mutating func add(_ parts: [HLSPart], _ sequence: Int64) throws(HLSProtection.Failure) {
        for part in parts {
            let protection = try HLSProtection(keys: part.keys, sequence: sequence)
            let map = try part.map.map { map throws(HLSProtection.Failure) in try ListedResource(map) }
            let samples = SampleCipher(protection)
            if pieces.isEmpty { (self.map, self.samples) = (map, samples) }
            guard !part.isGap, map == self.map, samples == self.samples else { return }
            let piece = ListedResource(
                url: part.url,
                range: part.byteRange?.range,
                cipher: .init(protection),
                isPart: true
            )
            pieces.append(piece.reported(as: .media, lasting: part.duration))
            durations.append(part.duration)
        }
    }

    /// Keys are stated for parts, not for hints: the resource of a hint is only known if nothing is encrypted. A range without an
    /// end cannot be requested either.
    private static func hint(in playlist: HLSMediaPlaylist) -> ListedResource? {
        let keys = playlist.parts.last?.keys ?? playlist.segments.last?.keys ?? []
        guard keys.isEmpty, let hint = playlist.preloadHints.first(where: { $0.kind == .part }) else { return nil }
        guard let length = hint.length else {
            return hint.offset == 0 ? ListedResource(url: hint.url, isPart: true) : nil
        }
        return ListedResource(url: hint.url, range: hint.offset..<hint.offset + max(0, length), isPart: true)
    }
}

extension SegmentList.Entry {
    /// A segment of which only the first parts are known.
    ///
    /// - Parameter count: how many of the parts; not 0, and at most as many as there are.
    package init(_ parts: ListedParts, first count: Int) {
        self.init(
            resource: parts.pieces[0],
            map: parts.map,
            samples: parts.samples,
            duration: parts.durations.prefix(count).reduce(.zero) { $0 + $1 }
        )
        pieces = Array(parts.pieces.prefix(count))
        isOpen = true
    }
}
