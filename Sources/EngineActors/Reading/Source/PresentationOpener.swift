// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Transfers

/// Opens the presentation of a multivariant playlist: one variant, and its audio and subtitle renditions.
struct PresentationOpener: Sendable {
    private let playlist: HLSMultivariantPlaylist
    private let loader: PlaylistLoader
    private let siblings: VariantSiblings
    private let options: LoadOptions

    /// - Parameters:
    ///   - isRemote: whether the source is on a server.
    ///   - options: choose the variant.
    init(_ playlist: HLSMultivariantPlaylist, _ loader: PlaylistLoader, isRemote: Bool, _ options: LoadOptions) {
        self.playlist = playlist
        self.loader = loader
        self.options = options
        siblings = VariantSiblings(of: playlist, loader, isRemote: isRemote)
    }

    /// Fetches the playlist of one variant, then those of its renditions in parallel. A rendition that cannot be played
    /// causes a notice.
    ///
    /// - Parameter index: the variant to play; `nil` for the one that the options choose.
    /// - Throws: the first error if no variant can be fetched; `noPlayableStream` if there is no playable variant;
    ///   `invalidArgument` if the options name a variant that does not exist; `cancelled`.
    func open(playing index: Int?, _ interrupt: InterruptFlag) throws(EngineError) -> ListPresentation {
        let played = try variant(index, interrupt)
        let (variant, lead) = (played.variant, played.playlist)
        let list = try SegmentList(lead, name: SourceOpener.shown(variant.url), holding: playlist.content(of: variant))
        let audio = playlist.renditions(.audio, group: variant.audioGroup)
        let subtitles = playlist.renditions(.subtitles, group: variant.subtitleGroup)
        let expected = Set((audio + subtitles).compactMap(\.url)).subtracting([variant.url])
            .map { ListedResource(url: $0, as: .playlist) }
        loader.resources.expect(expected)
        defer { loader.resources.dismiss(expected) }
        let muxed = audio.first { $0.isInside(variant) }
        let isIndependent = playlist.isIndependent || lead.isIndependent
        var found = ListPresentation()
        found.facts = ListFacts(
            bitRate: variant.bandwidth,
            variants: played.variants,
            kinds: variant.kinds,
            notices: played.notices
        )
        found.parts = [ListPart(list, muxed.map { .init($0) }, isIndependent: isIndependent, playlist: lead)]
        found.urls = [variant.url]
        found.variantURLs = playlist.variants.map(\.url)
        found.variables = playlist.variables
        var known: Set<String> = [variant.url]
        for (rendition, kind) in audio.map({ ($0, ListPart.Kind.media) }) + subtitles.map({ ($0, .text) }) {
            guard let url = rendition.url, known.insert(url).inserted else { continue }
            do throws(EngineError) {
                found.parts.append(try part(rendition, at: url, kind, beside: lead, list, interrupt))
                found.urls.append(url)
            } catch {
                if error.code == .cancelled { throw error }
                let what = kind == .media ? "audio" : "text"
                let text = "the \(what) \(SourceOpener.shown(url)) cannot be played: \(error)"
                found.facts.notices.append(Notice(.warning, "track.not_served", text))
            }
        }
        return found
    }

    private struct FetchedVariant {
        let variant: HLSVariant
        let playlist: HLSMediaPlaylist
        /// All variants of the presentation.
        let variants: ListVariants
        /// Why the variants that are preferred to this one cannot be played.
        let notices: [Notice]
    }

    /// The first variant, in the order of preference, whose playlist can be fetched.
    ///
    /// - Parameter index: the only variant to try.
    private func variant(_ index: Int?, _ interrupt: InterruptFlag) throws(EngineError) -> FetchedVariant {
        var choice = try VariantChoice(playlist.variants, for: options, of: loader.path)
        var notices: [Notice] = []
        var failure: EngineError?
        for place in choice.places where index.map({ $0 == place }) ?? true {
            let variant = playlist.variants[place]
            do throws(EngineError) {
                let media = try loader.media(variant.url, of: playlist, interrupt)
                let variants = siblings.variants(choice, playing: place, media)
                return FetchedVariant(variant: variant, playlist: media, variants: variants, notices: notices)
            } catch {
                if error.code == .cancelled { throw error }
                failure = failure ?? error
                choice.noteFailure(of: place, error)
                let text = "the variant \(SourceOpener.shown(variant.url)) cannot be played: \(error)"
                notices.append(Notice(.warning, "source.variant_skipped", text))
            }
        }
        throw failure ?? EngineError(.noPlayableStream, "no variant of \(loader.path) can be played")
    }

    /// Fetches the playlist of a rendition.
    ///
    /// - Parameters:
    ///   - lead: the playlist of the variant.
    ///   - list: the segments of `lead`.
    private func part(
        _ rendition: HLSRendition,
        at url: String,
        _ kind: ListPart.Kind,
        beside lead: HLSMediaPlaylist,
        _ list: SegmentList,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListPart {
        let name = SourceOpener.shown(url)
        let media = try loader.media(url, of: playlist, interrupt)
        guard !media.isLive || lead.isLive else {
            throw EngineError(.sourceNotReadable, "\(name) is live, but the video is not")
        }
        let content: RequestedObject.Kind = kind == .text ? .text : .audio
        let own = try SegmentList(media, name: name, holding: content, beside: list, of: lead)
        guard kind == .media || own.segments.allSatisfy({ $0.samples == nil }) else {
            throw EngineError(.sourceNotReadable, "encrypted samples of text are not supported")
        }
        return ListPart(own, .init(rendition), kind: kind, playlist: media)
    }
}

extension HLSVariant {
    /// The kinds of media that it may have, according to the playlist.
    var kinds: Set<StreamKind> { Set((hasVideo ? [.video] : []) + (hasAudio ? [.audio] : [])) }
}

extension ListRendition {
    init(_ rendition: HLSRendition) {
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
