// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Transfers

extension SegmentList {
    /// The segments of the only media playlist, or of the leading one. A list that slides is read from where playback
    /// begins, because its first segments may be gone before they can be fetched.
    ///
    /// - Parameter name: the URL for messages.
    /// - Throws: `sourceEmpty` if there are no segments with media, `sourceEncrypted` if they cannot be decrypted.
    init(
        _ playlist: HLSMediaPlaylist,
        name: String,
        holding content: RequestedObject.Kind = .media
    ) throws(EngineError) {
        let entrance = playlist.slides ? HLSJoin(playlist)?.place ?? 0 : 0
        let entries = try Self.entries(of: playlist, name: name)
        self.init(entries, holding: content, entrance: entrance, slides: playlist.slides)
    }

    /// The segments of a media playlist other than the leading one.
    ///
    /// - Parameter lead: the segments of `leading`.
    init(
        _ playlist: HLSMediaPlaylist,
        name: String,
        holding content: RequestedObject.Kind = .media,
        beside lead: SegmentList,
        of leading: HLSMediaPlaylist
    ) throws(EngineError) {
        let entries = try Self.entries(of: playlist, name: name)
        let list = SegmentList(entries, holding: content, slides: playlist.slides)
        var offset = list.offset(from: lead)
        // An estimate suffices to find a segment. The times in that segment then give the exact place
        // (`LoadedList.place`).
        if offset == nil, playlist.slides {
            let place = Int(clamping: playlist.mediaSequence - leading.mediaSequence)
            let isNumbered = lead.segments.indices.contains(place)
            offset = isNumbered ? lead.segments[place].start : lead.duration - list.duration
        }
        guard offset ?? .zero != .zero || playlist.slides else {
            self = list
            return
        }
        let moved = SegmentList(entries, startingAt: offset ?? .zero)
        let entrance = playlist.slides ? moved.segment(at: lead.segments[lead.entrance].start) : 0
        self.init(
            entries,
            holding: content,
            startingAt: offset ?? .zero,
            entrance: entrance,
            slides: playlist.slides
        )
    }

    private static func entries(of playlist: HLSMediaPlaylist, name: String) throws(EngineError) -> [Entry] {
        guard playlist.segments.contains(where: { !$0.isGap }) else {
            throw EngineError(.sourceEmpty, "the playlist \(name) has no segments")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(playlist.segments.count)
        for segment in playlist.segments { entries.append(try Entry(segment, of: name)) }
        return entries
    }
}

extension HLSMediaPlaylist {
    /// Whether its oldest segments are dropped while others follow.
    var slides: Bool { isLive && kind == nil }
}

extension SegmentList.Entry {
    /// - Parameter name: the URL of the playlist for messages.
    init(_ segment: HLSSegment, of name: String) throws(EngineError) {
        do throws(HLSProtection.Failure) {
            try self.init(segment)
        } catch {
            throw EngineError(.sourceEncrypted, "\(name) is encrypted with an unsupported method: \(error)")
        }
    }

    private init(_ segment: HLSSegment) throws(HLSProtection.Failure) {
        let protection = try HLSProtection(keys: segment.keys, sequence: segment.sequence)
        self.init(
            resource: ListedResource(url: segment.url, range: segment.byteRange?.range, cipher: .init(protection)),
            map: try segment.map.map { map throws(HLSProtection.Failure) in try ListedResource(map) },
            samples: .init(protection),
            duration: segment.duration,
            isDiscontinuous: segment.isDiscontinuous,
            isGap: segment.isGap,
            date: segment.date
        )
        isDurationRounded = segment.isDurationRounded
        let parts = ListedParts(segment.parts, ofSegment: segment.sequence)
        if let parts, (parts.map, parts.samples) == (map, samples) { pieces = parts.pieces }
    }
}

extension ListedResource {
    init(_ map: HLSMap) throws(HLSProtection.Failure) {
        let protection = try HLSProtection(keys: map.keys, sequence: nil)
        self.init(url: map.url, range: map.byteRange?.range, cipher: .init(protection), as: .initSegment)
    }
}

extension ListedResource.Cipher {
    /// `nil` for a resource that is not encrypted as a whole.
    init?(_ protection: HLSProtection) {
        guard case .resource(let cipher, let keyURL, let iv) = protection else { return nil }
        self.init(isLong: cipher == .aes256, keyURL: keyURL, iv: iv)
    }
}

extension SampleCipher {
    /// `nil` for a segment whose samples are not encrypted one by one.
    init?(_ protection: HLSProtection) {
        guard case .samples(let scheme, let keyURL, let iv) = protection else { return nil }
        self.init(keyURL: keyURL, iv: iv, isCounter: scheme == .ctr)
    }
}

extension HLSByteRange {
    var range: Range<Int64> { offset..<max(offset, end) }
}
