// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Transfers

/// Decides which other variants of a presentation players may switch to (its siblings), and opens them.
struct VariantSiblings: Sendable {
    private let loader: PlaylistLoader
    private let isRemote: Bool
    private let playlist: HLSMultivariantPlaylist

    /// - Parameter isRemote: whether the source is on a server.
    init(of playlist: HLSMultivariantPlaylist, _ loader: PlaylistLoader, isRemote: Bool) {
        self.playlist = playlist
        self.loader = loader
        self.isRemote = isRemote
    }

    /// The same, for a variant that is read instead of the one that was opened.
    private var replaceable: Self {
        var loader = loader
        loader.resources = loader.resources.replaceable
        return Self(of: playlist, loader, isRemote: isRemote)
    }

    /// All variants with their use, and the siblings that players may switch to. A sibling has its audio in the same
    /// place as the played variant: in its own segments, or in renditions. If the window of the presentation moves,
    /// there are no siblings: the engine itself switches between the variants.
    ///
    /// - Parameter played: the position of the variant that is played, whose media playlist is `media`.
    func variants(_ choice: VariantChoice, playing played: Int, _ media: HLSMediaPlaylist) -> ListVariants {
        let isMuxed = playlist.isMuxed(playlist.variants[played])
        func carriesAudioAlike(_ place: Int) -> Bool { playlist.isMuxed(playlist.variants[place]) == isMuxed }
        let offered = media.slides ? [] : choice.offered(beside: played).filter(carriesAudioAlike)
        let alternatives = media.slides ? choice.alternatives(to: played).filter(carriesAudioAlike) : []
        let readable = media.slides ? [] : choice.readable(insteadOf: played).filter(carriesAudioAlike)
        var variants = ListVariants()
        variants.all = choice.described(
            playing: played,
            offering: Set(offered),
            switchingTo: Set(alternatives + readable),
            slides: media.slides
        )
        func rungs(_ others: [Int]) -> [LiveLadder.Rung] {
            (others + [played]).map { .init(index: $0, bandwidth: playlist.variants[$0].bandwidth) }
        }
        variants.ladder = LiveLadder(rungs(alternatives), playing: played)
        variants.readable = LiveLadder(rungs(readable), playing: played, isLive: false)
        variants.siblings = offered.map { place in
            let variant = playlist.variants[place]
            return .init(
                variants.all[place],
                hasOwnAudio: isMuxed && variant.hasAudio,
                videoCodecs: variant.videoCodecs,
                supplementalCodecs: variant.supplementalCodecs
            )
        }
        let isLive = media.isLive
        variants.open = { [self] (opening, interrupt) throws(EngineError) in
            try (opening.isReplaceable ? replaceable : self).open(opening, isLive: isLive, interrupt)
        }
        return variants
    }

    /// Opens a variant as a source of its own.
    ///
    /// - Parameter isLive: whether the played variant may grow.
    private func open(
        _ opening: ListVariants.Opening,
        isLive: Bool,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource {
        let index = opening.index
        let now = opening.isStale ? try loader.currentVariants(interrupt) : playlist
        let content = try content(of: index, in: now, isLive: isLive, nil, interrupt)
        // If its window moves, its indices and its timeline begin at a segment that depends on the time of the request.
        guard !content.parts[0].list.slides else {
            throw EngineError(
                .noPlayableStream,
                "the window of \(SourceOpener.shown(now.variants[index].url)) moves, but that of the played variant does not"
            )
        }
        let last = Locked(now)
        let source = SegmentListSource(
            path: SourceOpener.shown(now.variants[index].url),
            isRemote: isRemote,
            content,
            ListFacts(
                bitRate: now.variants[index].bandwidth,
                kinds: now.variants[index].kinds,
                originOffset: opening.originOffset
            ),
            cacheByteLimit: SegmentCache.siblingByteLimit,
            measuredWith: opening.measured,
            resources: loader.resources
        ) { [self] due, interrupt throws(EngineError) in
            switch due {
            case .later(let directives, _):
                let known = last.withLock { $0 }
                return try self.content(of: index, in: known, isLive: isLive, directives, interrupt)
            case .afresh:
                let now = try loader.currentVariants(interrupt)
                let content = try self.content(of: index, in: now, isLive: isLive, nil, interrupt)
                last.withLock { $0 = now }
                return content
            }
        }
        loader.caches.add(source)
        return source
    }

    /// The content of one variant, without separate renditions.
    ///
    /// - Parameters:
    ///   - isLive: whether the variant may grow. Its playlist is then never taken from a cache.
    ///   - directives: the directives of a scheduled load; `nil` for any other load.
    private func content(
        of index: Int,
        in playlist: HLSMultivariantPlaylist,
        isLive: Bool,
        _ directives: HLSDirectives?,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListContent {
        guard playlist.variants.indices.contains(index) else {
            throw EngineError(.sourceChanged, "\(loader.path) no longer has a variant \(index)")
        }
        let variant = playlist.variants[index]
        let media =
            isLive
            ? try loader.currentMedia(variant.url, importing: playlist.variables, directives, interrupt)
            : try loader.media(variant.url, of: playlist, interrupt)
        let muxed = playlist.renditions(.audio, group: variant.audioGroup).first { $0.isInside(variant) }
        let list = try SegmentList(media, name: SourceOpener.shown(variant.url), holding: playlist.content(of: variant))
        let isIndependent = playlist.isIndependent || media.isIndependent
        let part = ListPart(
            list,
            muxed.map { .init($0) },
            isIndependent: isIndependent,
            playlist: isLive ? media : nil
        )
        return ListContent(parts: [part], digest: ListPresentation.digest(of: [part]))
    }
}

extension HLSMultivariantPlaylist {
    /// Whether the audio of a variant is in its own segments, if it has any.
    fileprivate func isMuxed(_ variant: HLSVariant) -> Bool {
        renditions(.audio, group: variant.audioGroup).allSatisfy { $0.isInside(variant) }
    }

    /// What the segments of a variant hold, as far as the playlist says.
    func content(of variant: HLSVariant) -> RequestedObject.Kind {
        guard variant.hasVideo else { return .audio }
        return variant.hasAudio && isMuxed(variant) ? .media : .video
    }
}

extension HLSRendition {
    /// Whether the segments of a variant hold the rendition.
    func isInside(_ variant: HLSVariant) -> Bool { url == nil || url == variant.url }
}
