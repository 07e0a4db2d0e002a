// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The other variants of a presentation, which players may switch to: which ones, and how each is opened.
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

    /// All variants with their use, and the siblings that players may switch to. A sibling has its audio in the same place as
    /// the played variant: in its own segments, or in renditions. A live presentation has no siblings. If its window moves,
    /// the engine itself switches between the variants. If it only grows, its segments are listed again after a crash, and
    /// must be the same then.
    ///
    /// - Parameter played: the position of the variant that is played, whose media playlist is `media`.
    func variants(_ choice: VariantChoice, playing played: Int, _ media: HLSMediaPlaylist) -> ListVariants {
        let isMuxed = playlist.isMuxed(playlist.variants[played])
        func carriesAudioAlike(_ place: Int) -> Bool { playlist.isMuxed(playlist.variants[place]) == isMuxed }
        let offered = media.isLive ? [] : choice.offered(beside: played).filter(carriesAudioAlike)
        let alternatives = media.slides ? choice.alternatives(to: played).filter(carriesAudioAlike) : []
        var variants = ListVariants()
        variants.all = choice.described(
            playing: played,
            offering: Set(offered),
            switchingTo: Set(alternatives)
        )
        let rungs = (alternatives + [played]).map { place in
            LiveLadder.Rung(index: place, bandwidth: playlist.variants[place].bandwidth)
        }
        variants.ladder = LiveLadder(rungs, playing: played)
        variants.siblings = offered.map { place in
            let variant = playlist.variants[place]
            return .init(
                variants.all[place],
                hasOwnAudio: isMuxed && variant.hasAudio,
                videoCodecs: variant.videoCodecs,
                supplementalCodecs: variant.supplementalCodecs
            )
        }
        variants.open = { [self] (opening, interrupt) throws(EngineError) in try open(opening, interrupt) }
        return variants
    }

    private func open(
        _ opening: ListVariants.Opening,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource {
        let index = opening.index
        let now = opening.isStale ? try loader.currentVariants(interrupt) : playlist
        let content = try content(of: index, in: now, interrupt)
        let source = SegmentListSource(
            path: SourceOpener.shown(now.variants[index].url),
            isRemote: isRemote,
            content,
            ListFacts(bitRate: now.variants[index].bandwidth, originOffset: opening.originOffset),
            cacheByteLimit: SegmentCache.siblingByteLimit,
            resources: loader.resources
        ) { [self] _, interrupt throws(EngineError) in
            try self.content(of: index, in: loader.currentVariants(interrupt), interrupt)
        }
        loader.caches.add(source)
        return source
    }

    /// The content of one variant, without separate renditions.
    private func content(
        of index: Int,
        in playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListContent {
        guard playlist.variants.indices.contains(index) else {
            throw EngineError(.sourceChanged, "\(loader.path) no longer has a variant \(index)")
        }
        let variant = playlist.variants[index]
        let media = try loader.media(variant.url, of: playlist, interrupt)
        let muxed = playlist.renditions(.audio, group: variant.audioGroup).first { $0.isInside(variant) }
        let list = try SegmentList(media, name: SourceOpener.shown(variant.url))
        let isIndependent = playlist.isIndependent || media.isIndependent
        let parts = [ListPart(list, muxed.map { .init($0) }, isIndependent: isIndependent)]
        return ListContent(parts: parts, digest: ListPresentation.digest(of: parts))
    }
}

extension HLSMultivariantPlaylist {
    /// Whether the audio of a variant is in its own segments, if it has any.
    fileprivate func isMuxed(_ variant: HLSVariant) -> Bool {
        renditions(.audio, group: variant.audioGroup).allSatisfy { $0.isInside(variant) }
    }
}

extension HLSRendition {
    /// Whether the segments of a variant hold the rendition.
    func isInside(_ variant: HLSVariant) -> Bool { url == nil || url == variant.url }
}
