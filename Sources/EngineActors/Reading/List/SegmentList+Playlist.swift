// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

extension SegmentList {
    /// What a media playlist lists.
    ///
    /// - Parameters:
    ///   - name: the URL for messages.
    ///   - start: where the first segment begins on the timeline of the leading list.
    ///   - entrance: the segment that is read first.
    /// - Throws: `sourceEmpty` if there are no segments with media, `sourceEncrypted` if they cannot be decrypted.
    init(
        _ playlist: HLSMediaPlaylist,
        name: String,
        beside lead: SegmentList? = nil,
        entrance: Int = 0
    ) throws(EngineError) {
        guard playlist.segments.contains(where: { !$0.isGap }) else {
            throw EngineError(.sourceEmpty, "the playlist \(name) has no segments")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(playlist.segments.count)
        for segment in playlist.segments { entries.append(try Entry(segment, of: name)) }
        let slides = playlist.isLive && playlist.kind == nil
        let list = SegmentList(entries, entrance: entrance, slides: slides)
        guard let offset = lead.flatMap({ list.offset(from: $0) }), offset != .zero else {
            self = list
            return
        }
        self.init(entries, startingAt: offset, entrance: entrance, slides: slides)
    }
}

extension SegmentList.Entry {
    /// - Parameter name: the URL of the playlist for messages.
    init(_ segment: HLSSegment, of name: String) throws(EngineError) {
        do throws(HLSProtection.Failure) {
            try self.init(segment)
        } catch {
            throw EngineError(.sourceEncrypted, "\(name) is encrypted in a way that is not read: \(error)")
        }
    }

    private init(_ segment: HLSSegment) throws(HLSProtection.Failure) {
        let protection = try HLSProtection(keys: segment.keys, sequence: segment.sequence)
        self.init(
            resource: ListedResource(url: segment.url, range: segment.byteRange?.range, cipher: .init(protection)),
            map: try segment.map.map { map throws(HLSProtection.Failure) in
                ListedResource(
                    url: map.url,
                    range: map.byteRange?.range,
                    cipher: .init(try HLSProtection(keys: map.keys, sequence: nil))
                )
            },
            samples: .init(protection),
            duration: segment.duration,
            isDiscontinuous: segment.isDiscontinuous,
            isGap: segment.isGap,
            date: segment.date
        )
    }
}

extension ListedResource.Cipher {
    /// `nil` for a resource that is not encrypted as a whole.
    fileprivate init?(_ protection: HLSProtection) {
        guard case .resource(let cipher, let keyURL, let iv) = protection else { return nil }
        self.init(isLong: cipher == .aes256, keyURL: keyURL, iv: iv)
    }
}

extension SampleCipher {
    /// `nil` for a segment whose samples are not encrypted one by one.
    fileprivate init?(_ protection: HLSProtection) {
        guard case .samples(let scheme, let keyURL, let iv) = protection else { return nil }
        self.init(keyURL: keyURL, iv: iv, isCounter: scheme == .ctr)
    }
}

extension HLSByteRange {
    fileprivate var range: Range<Int64> { offset..<max(offset, end) }
}
