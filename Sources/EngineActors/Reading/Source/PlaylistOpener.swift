// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Opens a source that turns out to be an HLS playlist, whatever its name and content type are.
struct PlaylistOpener: Sendable {
    /// How many bytes are read to tell what a source is.
    private static let headByteCount = 512
    /// How many bytes are read to tell a playlist from a list of channels, which may be large.
    private static let listByteCount = 64 << 10
    /// How many channels the error names.
    private static let namedChannels = 3

    private let file: any ByteSource
    private let resources: any ListResources
    private let url: String
    private let options: LoadOptions

    /// - Parameters:
    ///   - file: the source, which may be a playlist.
    ///   - resources: fetches the resources that the playlist names.
    ///   - url: the URL of the playlist after redirects, which resolves relative URLs in it.
    ///   - options: choose the variant.
    init(_ file: any ByteSource, _ resources: any ListResources, url: String, _ options: LoadOptions) {
        self.file = file
        self.resources = resources
        self.url = url
        self.options = options
    }

    /// The list; `nil` if the source is not a playlist.
    ///
    /// - Throws: the failure of a read; `sourceNotMedia` if the source is a web page, a list of channels, or an invalid
    ///   playlist.
    func open(_ interrupt: InterruptFlag) throws(EngineError) -> SegmentListSource? {
        let head = try file.cursor(interrupt).read(at: 0, count: Self.headByteCount)
        switch Self.kind(of: head) {
        case .other: return nil
        case .page:
            guard file.isRemote else { return nil }
            throw EngineError(.sourceNotMedia, "\(file.path) is a web page, not media")
        case .playlist: try refuseChannels(interrupt)
        }
        let bytes = try file.wholeBytes(byteLimit: HLSLimits.bytes, interrupt)
        var found = try presentation(FetchedResource(bytes: bytes, url: url), interrupt)
        if found.content.growing != nil, resources.isListKept {
            found = try presentation(resources.fetchList(nil, nil, interrupt: interrupt), interrupt)
        }
        let last = Locked(found)
        return SegmentListSource(
            path: file.path,
            isRemote: file.isRemote,
            found.content,
            bitRate: found.bitRate,
            variants: found.variants,
            resources: resources,
            notices: found.notices
        ) { [self] load, interrupt throws(EngineError) in
            if case .later(let directives) = load {
                let now = try later(last.withLock { $0 }, directives, interrupt)
                last.withLock { $0.keepPlaylists(of: now) }
                return now
            }
            let now = try presentation(resources.fetchList(nil, nil, interrupt: interrupt), interrupt)
            last.withLock { $0 = now }
            return now.content
        }
    }

    /// - Throws: `sourceNotMedia` if each entry of the list is a source of its own.
    private func refuseChannels(_ interrupt: InterruptFlag) throws(EngineError) {
        let start = try file.cursor(interrupt).read(at: 0, count: Self.listByteCount)
        guard let list = ChannelList(start) else { return }
        let named = list.channels.prefix(Self.namedChannels).map { $0.name.isEmpty ? $0.url : $0.name }
        throw EngineError(
            .sourceNotMedia,
            "\(file.path) is an M3U list of channels, not media; load the address of one of them",
            cause: "it begins with \(named.joined(separator: ", ")); enginectl channels lists all of them"
        )
    }

    /// The contents of a playlist and of the playlists that it names.
    private struct Presentation {
        var parts: [ListPart] = []
        /// The peak bit rate in bits per second; 0 if no playlist states it.
        var bitRate: Int64 = 0
        var variants = ListVariants()
        var notices: [Notice] = []
        /// The URLs of the media playlists that a multivariant playlist names, in the order of `parts`, without
        /// subtitles.
        var urls: [String] = []
        var variables: [String: String] = [:]

        /// Notes the last load of each media playlist.
        mutating func keepPlaylists(of later: ListContent) {
            for (place, part) in later.parts.enumerated() where part.playlist != nil {
                parts[place].playlist = part.playlist
            }
        }

        var content: ListContent { .init(parts: parts, digest: PlaylistOpener.digest(of: parts.map(\.list))) }
    }

    private func presentation(
        _ fetched: FetchedResource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Presentation {
        switch try parse(fetched, name: file.path) {
        case .media(let playlist):
            let list = try SegmentList(playlist, name: file.path)
            return Presentation(parts: [ListPart(list, isIndependent: playlist.isIndependent, playlist: playlist)])
        case .multivariant(let playlist): return try presentation(of: playlist, interrupt)
        }
    }

    /// Loads the media playlists of a live presentation again. If one beside the leading one cannot be loaded, the others are
    /// used without it.
    private func later(
        _ known: Presentation,
        _ directives: HLSDirectives,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListContent {
        var parts: [ListPart] = []
        var failure: EngineError?
        for place in known.parts.indices {
            var part = known.parts[place]
            // The other lists have the next segment at about the same time.
            let own = place == 0 ? directives : part.playlist?.directives(following: directives) ?? HLSDirectives()
            do throws(EngineError) {
                part.playlist = try laterPlaylist(place, of: known, own, interrupt)
            } catch {
                if place == 0 || error.code == .cancelled { throw error }
                part.playlist = nil
                // Nothing waits for text.
                if part.kind == .media { failure = failure ?? error }
            }
            parts.append(part)
        }
        return ListContent(parts: parts, digest: "", failure: failure)
    }

    private func laterPlaylist(
        _ place: Int,
        of known: Presentation,
        _ directives: HLSDirectives,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> HLSMediaPlaylist {
        // Without a multivariant playlist, the source itself is the only list.
        let url = known.urls.indices.contains(place) ? known.urls[place] : nil
        let name = url.map(SourceOpener.shown) ?? file.path
        let fetched = try resources.fetchList(url, directives, interrupt: interrupt)
        guard case .media(let playlist) = try parse(fetched, name: name, importing: known.variables) else {
            throw EngineError(.sourceChanged, "\(name) is no media playlist any more")
        }
        return playlist
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

    private func presentation(
        of playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Presentation {
        var found = Presentation()
        let (variant, lead) = try variant(of: playlist, &found, interrupt)
        let list = try SegmentList(lead, name: SourceOpener.shown(variant.url))
        var muxed: ListRendition?
        var known: Set<String> = [variant.url]
        let renditions =
            playlist.renditions(.audio, group: variant.audioGroup)
            + playlist.renditions(.subtitles, group: variant.subtitleGroup)
        let expected = Set(renditions.compactMap(\.url)).subtracting([variant.url]).map { ListedResource(url: $0) }
        resources.expect(expected)
        defer { resources.dismiss(expected) }
        var others: [ListPart] = []
        for rendition in playlist.renditions(.audio, group: variant.audioGroup) {
            guard let url = rendition.url, url != variant.url else {
                muxed = muxed ?? .init(rendition)
                continue
            }
            guard known.insert(url).inserted else { continue }
            let part = optional("the audio \(SourceOpener.shown(url))", &found.notices) { () throws(EngineError) in
                let media = try fetch(url, of: playlist, interrupt)
                let own = try beside(lead, list, media, name: SourceOpener.shown(url))
                return .init(own, .init(rendition), playlist: media)
            }
            if let part = try part.get() {
                others.append(part)
                found.urls.append(url)
            }
        }
        for rendition in playlist.renditions(.subtitles, group: variant.subtitleGroup) {
            guard let url = rendition.url, known.insert(url).inserted else { continue }
            let part = optional("the text \(SourceOpener.shown(url))", &found.notices) { () throws(EngineError) in
                let media = try fetch(url, of: playlist, interrupt)
                let list = try beside(lead, list, media, name: SourceOpener.shown(url))
                guard list.segments.allSatisfy({ $0.map == nil }) else {
                    throw EngineError(.sourceNotReadable, "subtitles in fMP4 are not read")
                }
                return .init(list, .init(rendition), kind: .text, playlist: media)
            }
            if let part = try part.get() {
                others.append(part)
                found.urls.append(url)
            }
        }
        let isIndependent = playlist.isIndependent || lead.isIndependent
        found.parts = [.init(list, muxed, isIndependent: isIndependent, playlist: lead)] + others
        found.urls = [variant.url] + found.urls
        found.variables = playlist.variables
        found.bitRate = variant.bandwidth
        return found
    }

    /// The first variant, in the order of preference, whose playlist can be fetched.
    private func variant(
        of playlist: HLSMultivariantPlaylist,
        _ found: inout Presentation,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> (HLSVariant, HLSMediaPlaylist) {
        var choice = try VariantChoice(playlist.variants, for: options, of: file.path)
        var failure: EngineError?
        for place in choice.places {
            let variant = playlist.variants[place]
            do throws(EngineError) {
                let media = try fetch(variant.url, of: playlist, interrupt)
                found.variants = variants(of: playlist, choice, playing: place, media)
                return (variant, media)
            } catch {
                if error.code == .cancelled { throw error }
                failure = failure ?? error
                choice.noteFailure(of: place, error)
                let text = "the variant \(SourceOpener.shown(variant.url)) cannot be played: \(error)"
                found.notices.append(Notice(.warning, "source.variant_skipped", text))
            }
        }
        throw failure ?? EngineError(.noPlayableStream, "no variant of \(file.path) can be played")
    }

    private func variants(
        of playlist: HLSMultivariantPlaylist,
        _ choice: VariantChoice,
        playing played: Int,
        _ media: HLSMediaPlaylist
    ) -> ListVariants {
        let isMuxed = Self.isMuxed(playlist.variants[played], in: playlist)
        let offered =
            media.isLive
            ? []
            : choice.offered(beside: played).filter { place in
                Self.isMuxed(playlist.variants[place], in: playlist) == isMuxed
            }
        var variants = ListVariants()
        variants.all = choice.described(playing: played, offering: Set(offered))
        variants.siblings = offered.map { place in
            let variant = playlist.variants[place]
            return .init(
                variants.all[place],
                hasOwnAudio: isMuxed && variant.hasAudio,
                videoCodecs: variant.videoCodecs,
                supplementalCodecs: variant.supplementalCodecs
            )
        }
        variants.open = { [self] (opening, interrupt) throws(EngineError) in
            let index = opening.index
            let now = opening.isStale ? try currentPlaylist(interrupt) : playlist
            let name = SourceOpener.shown(now.variants[index].url)
            return SegmentListSource(
                path: name,
                isRemote: file.isRemote,
                try content(of: index, in: now, interrupt),
                bitRate: now.variants[index].bandwidth,
                cacheByteLimit: SegmentCache.siblingByteLimit,
                originOffset: opening.originOffset,
                resources: resources
            ) { [self] _, interrupt throws(EngineError) in
                try content(of: index, in: currentPlaylist(interrupt), interrupt)
            }
        }
        return variants
    }

    /// Whether the audio of a variant is in its own segments, if it has any.
    private static func isMuxed(_ variant: HLSVariant, in playlist: HLSMultivariantPlaylist) -> Bool {
        let renditions = playlist.renditions(.audio, group: variant.audioGroup)
        return renditions.allSatisfy { $0.url == nil || $0.url == variant.url }
    }

    /// Fetches the multivariant playlist again.
    private func currentPlaylist(_ interrupt: InterruptFlag) throws(EngineError) -> HLSMultivariantPlaylist {
        guard
            case .multivariant(let now) = try parse(
                resources.fetchList(nil, nil, interrupt: interrupt),
                name: file.path
            )
        else {
            throw EngineError(.sourceChanged, "\(file.path) has no variants any more")
        }
        return now
    }

    /// The content of one variant, without separate renditions.
    private func content(
        of index: Int,
        in playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListContent {
        guard playlist.variants.indices.contains(index) else {
            throw EngineError(.sourceChanged, "\(file.path) has no variant \(index) any more")
        }
        let variant = playlist.variants[index]
        let media = try fetch(variant.url, of: playlist, interrupt)
        let muxed = playlist.renditions(.audio, group: variant.audioGroup).first {
            $0.url == nil || $0.url == variant.url
        }
        let list = try SegmentList(media, name: SourceOpener.shown(variant.url))
        let isIndependent = playlist.isIndependent || media.isIndependent
        let parts = [ListPart(list, muxed.map { .init($0) }, isIndependent: isIndependent)]
        return ListContent(parts: parts, digest: Self.digest(of: parts.map(\.list)))
    }

    /// Opens a rendition that the presentation can play without. A failure other than an interruption becomes a notice.
    private func optional(
        _ what: String,
        _ notices: inout [Notice],
        _ body: () throws(EngineError) -> ListPart
    ) -> Result<ListPart?, EngineError> {
        do throws(EngineError) {
            return .success(try body())
        } catch {
            if error.code == .cancelled { return .failure(error) }
            notices.append(Notice(.warning, "track.not_served", "\(what) cannot be played: \(error)"))
            return .success(nil)
        }
    }

    /// Fetches a media playlist that a multivariant playlist names.
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

    /// The segments of a playlist beside the leading one.
    ///
    /// - Parameters:
    ///   - lead: the leading playlist.
    ///   - list: the segments of the leading playlist.
    private func beside(
        _ lead: HLSMediaPlaylist,
        _ list: SegmentList,
        _ playlist: HLSMediaPlaylist,
        name: String
    ) throws(EngineError) -> SegmentList {
        guard !playlist.isLive || lead.isLive else {
            throw EngineError(.sourceNotReadable, "\(name) is live, but the video is not")
        }
        return try SegmentList(playlist, name: name, beside: list, of: lead)
    }

    /// A hash of the contents of lists, without the queries of URLs, which change when URLs are signed again.
    fileprivate static func digest(of lists: [SegmentList]) -> String {
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

extension HLSMediaPlaylist {
    /// Those of a request for this playlist that is made together with one for the leading playlist.
    fileprivate func directives(following lead: HLSDirectives) -> HLSDirectives {
        HLSDirectives(sequence: lead.isBlocking && control.canBlock ? nextSequence : nil)
    }
}

extension ListRendition {
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
