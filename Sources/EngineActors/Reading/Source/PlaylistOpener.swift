// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Opens a source that turns out to be an HLS playlist, whatever its name and its content type are.
struct PlaylistOpener {
    /// What is read to see what a source is.
    private static let headByteCount = 512

    private let file: any ByteSource
    private let resources: any ListResources
    private let url: String

    /// - Parameters:
    ///   - file: the playlist, if it is one.
    ///   - resources: fetches what it names.
    ///   - url: where it is, after redirects. What it names is relative to that.
    init(_ file: any ByteSource, _ resources: any ListResources, url: String) {
        self.file = file
        self.resources = resources
        self.url = url
    }

    /// The list; `nil` if the source is not a playlist.
    ///
    /// - Throws: what reading it reports; `sourceNotMedia` if it is a web page or cannot be understood.
    func open(_ interrupt: InterruptFlag) throws(EngineError) -> SegmentListSource? {
        let head = try file.cursor(interrupt).read(at: 0, count: Self.headByteCount)
        switch Self.kind(of: head) {
        case .other: return nil
        case .page:
            guard file.isRemote else { return nil }
            throw EngineError(.sourceNotMedia, "\(file.path) is a web page, not media")
        case .playlist: break
        }
        let bytes = try file.wholeBytes(byteLimit: HLSLimits.bytes, interrupt)
        switch try parse(FetchedResource(bytes: bytes, url: url), name: file.path) {
        case .media(let playlist):
            let list = try list(of: playlist, name: file.path)
            return source(of: [.init(list, isIndependent: playlist.isIndependent)])
        case .multivariant(let playlist): return try source(of: playlist, interrupt)
        }
    }

    // MARK: What a source is

    private enum Kind { case playlist, page, other }

    private static func kind(of head: [UInt8]) -> Kind {
        let isMarked = head.starts(with: [0xEF, 0xBB, 0xBF])
        let text = head.dropFirst(isMarked ? 3 : 0).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if text.starts(with: "#EXTM3U".utf8) { return .playlist }
        let start = String(decoding: text.prefix(15), as: UTF8.self).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? .page : .other
    }

    // MARK: Playlists

    private func parse(
        _ fetched: FetchedResource,
        name: String,
        importing variables: [String: String] = [:]
    ) throws(EngineError) -> HLSPlaylist {
        do throws(HLSPlaylistError) {
            return try HLSPlaylist.parse(fetched.bytes, url: fetched.url, importing: variables)
        } catch {
            throw EngineError(.sourceNotMedia, "the playlist \(name) cannot be used", cause: "\(error)")
        }
    }

    private func source(
        of playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource {
        guard let variant = playlist.variants.max(by: { $0.bandwidth < $1.bandwidth }) else {
            throw EngineError(.noPlayableStream, "the playlist \(file.path) has no variant")
        }
        let media = try fetch(variant.url, of: playlist, interrupt)
        var parts: [SegmentListSource.Part] = []
        var muxed: SegmentListSource.Rendition?
        var notices: [Notice] = []
        var known: Set<String> = [variant.url]
        for rendition in playlist.renditions(.audio, group: variant.audioGroup) {
            let described = SegmentListSource.Rendition(rendition)
            guard let url = rendition.url, url != variant.url else {
                muxed = muxed ?? described
                continue
            }
            guard known.insert(url).inserted else { continue }
            let name = SourceOpener.shown(url)
            let isKnown = optional("the audio \(name)", &notices) { () throws(EngineError) in
                parts.append(.init(try list(of: fetch(url, of: playlist, interrupt), name: name), described))
            }
            try isKnown.get()
        }
        for rendition in playlist.renditions(.subtitles, group: variant.subtitleGroup) {
            guard let url = rendition.url, known.insert(url).inserted else { continue }
            let name = SourceOpener.shown(url)
            let isKnown = optional("the subtitles \(name)", &notices) { () throws(EngineError) in
                let list = try list(of: fetch(url, of: playlist, interrupt), name: name)
                guard list.segments.allSatisfy({ $0.map == nil }) else {
                    throw EngineError(.sourceNotReadable, "subtitles in fMP4 are not read")
                }
                parts.append(.init(list, .init(rendition), kind: .text))
            }
            try isKnown.get()
        }
        let lead = SegmentListSource.Part(
            try list(of: media, name: SourceOpener.shown(variant.url)),
            muxed,
            isIndependent: playlist.isIndependent || media.isIndependent
        )
        return source(of: [lead] + parts, bitRate: variant.bandwidth, notices: notices)
    }

    /// Opens a rendition without which the presentation plays. A failure other than an interruption is a notice.
    private func optional(
        _ what: String,
        _ notices: inout [Notice],
        _ body: () throws(EngineError) -> Void
    ) -> Result<Void, EngineError> {
        do throws(EngineError) {
            try body()
        } catch {
            if error.code == .cancelled { return .failure(error) }
            notices.append(Notice(.warning, "track.not_served", "\(what) cannot be played: \(error)"))
        }
        return .success(())
    }

    /// Fetches a media playlist that another one names.
    private func fetch(
        _ url: String,
        of playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> HLSMediaPlaylist {
        let name = SourceOpener.shown(url)
        let fetched = try resources.fetch(
            ListedResource(url: url),
            byteLimit: HLSLimits.bytes,
            observer: { _ in },
            interrupt: interrupt
        )
        guard case .media(let media) = try parse(fetched, name: name, importing: playlist.variables) else {
            throw EngineError(.sourceNotMedia, "\(name), which \(file.path) names, has variants of its own")
        }
        return media
    }

    private func list(of playlist: HLSMediaPlaylist, name: String) throws(EngineError) -> SegmentList {
        guard !playlist.isLive else {
            throw EngineError(.sourceNotReadable, "\(name) is live, which the engine does not play yet")
        }
        guard !playlist.segments.isEmpty else {
            throw EngineError(.sourceEmpty, "the playlist \(name) has no segments")
        }
        var entries: [SegmentList.Entry] = []
        for segment in playlist.segments {
            do throws(HLSProtection.Failure) {
                entries.append(try SegmentList.Entry(segment))
            } catch {
                throw EngineError(.sourceEncrypted, "\(name) is encrypted in a way that is not read: \(error)")
            }
        }
        return SegmentList(entries)
    }

    private func source(
        of parts: [SegmentListSource.Part],
        bitRate: Int64 = 0,
        notices: [Notice] = []
    ) -> SegmentListSource {
        SegmentListSource(
            path: file.path,
            digest: Self.digest(of: parts.map(\.list)),
            isRemote: file.isRemote,
            parts: parts,
            bitRate: bitRate,
            resources: resources,
            notices: notices
        )
    }

    /// Of what lists say, apart from the queries of URLs, which change when they are signed again.
    private static func digest(of lists: [SegmentList]) -> String {
        var hash = StableHash()
        for segment in lists.flatMap(\.segments) {
            for resource in [segment.map, segment.resource].compactMap(\.self) {
                hash.add(resource.url.prefix { $0 != "?" }.utf8)
                hash.add(UInt64(bitPattern: resource.range?.lowerBound ?? -1))
            }
            hash.add(UInt64(bitPattern: segment.duration.microseconds))
            hash.add(UInt64(segment.group))
        }
        return hash.hexadecimal
    }
}

extension SegmentList.Entry {
    fileprivate init(_ segment: HLSSegment) throws(HLSProtection.Failure) {
        self.init(
            resource: ListedResource(
                url: segment.url,
                range: segment.byteRange?.range,
                cipher: try .init(HLSProtection(keys: segment.keys, sequence: segment.sequence))
            ),
            map: try segment.map.map { map throws(HLSProtection.Failure) in
                ListedResource(
                    url: map.url,
                    range: map.byteRange?.range,
                    cipher: try .init(HLSProtection(keys: map.keys, sequence: nil))
                )
            },
            duration: segment.duration,
            isDiscontinuous: segment.isDiscontinuous
        )
    }
}

extension SegmentListSource.Rendition {
    fileprivate init(_ rendition: HLSRendition) {
        var dispositions = rendition.isDefault ? ["default"] : []
        if rendition.characteristics.contains("public.accessibility.describes-video") {
            dispositions.append("visual_impaired")
        }
        if rendition.characteristics.contains("public.accessibility.transcribes-spoken-dialog") {
            dispositions.append("hearing_impaired")
        }
        if rendition.isForced { dispositions.append("forced") }
        self.init(name: rendition.name, language: rendition.language ?? "", dispositions: dispositions)
    }
}

extension ListedResource.Cipher {
    /// `nil` for a resource that is not encrypted as a whole.
    fileprivate init?(_ protection: HLSProtection) throws(HLSProtection.Failure) {
        switch protection {
        case .none: return nil
        case .resource(let cipher, let keyURL, let iv):
            self.init(isLong: cipher == .aes256, keyURL: keyURL, iv: iv)
        case .samples(let scheme, _, _): throw .method(scheme == .cbc ? "SAMPLE-AES" : "SAMPLE-AES-CTR")
        }
    }
}

extension HLSByteRange {
    fileprivate var range: Range<Int64> { offset..<max(offset, end) }
}
