// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The streams of a source that are played and their routes, and the reasons why the others are not played.
struct StreamChoice {
    /// The way to play a stream, as far as its codec determines that.
    enum Way: Hashable {
        /// The software path decodes it, for this reason.
        case software(String)
        /// The ways to serve audio, the best first.
        case ladder([AudioMatrix.Rung])
        /// Video is remuxed.
        case remuxed
    }

    /// Codecs that the fMP4 writer carries unchanged.
    static let video: Set<CodecID> = [.h264, .hevc, .av1, .vp9]

    /// The stream index of the video that is played: one that can be served, or failing that one that can be decoded.
    let video: Int?
    /// A second video stream that may hold the Dolby Vision enhancement layer for `video`. Its packets show whether it
    /// does.
    let companion: Int?
    /// The indexes of the played streams, the leading stream first.
    let played: [Int]
    /// By stream index of an audio stream: the ways to serve it, the best first.
    private let ladders: [Int: [AudioMatrix.Rung]]
    private let facts: [Int: AudioMatrix.Facts]
    private let options: LoadOptions
    private let media: MediaDescription

    init(_ infos: [StreamInfo], _ media: MediaDescription, _ options: LoadOptions) {
        var facts: [Int: AudioMatrix.Facts] = [:]
        for stream in media.ownStreams where stream.kind == .audio && stream.protection == nil {
            facts[stream.index] = Self.facts(infos.first { $0.index == stream.index }, stream)
            facts[stream.index]?.treatment = options.soundChain(of: stream.index)?.reason
        }
        self.init(facts, media, options)
    }

    private init(_ facts: [Int: AudioMatrix.Facts], _ media: MediaDescription, _ options: LoadOptions) {
        self.media = media
        self.options = options
        self.facts = facts
        let ladders = AudioFamilies.ladders(for: facts, profile: options.profile, mode: options.bridgeMode)
        self.ladders = ladders
        let clear = media.ownStreams.filter { $0.protection == nil }
        let served = clear.filter { $0.kind == .video && Self.video.contains($0.codec) }
        let decoded = clear.filter { $0.kind == .video && VideoDecoder.exists(for: $0.codec) }
        let videos = served.isEmpty ? decoded : served
        let audio = clear.filter { stream in
            stream.kind == .audio && (ladders[stream.index]?.isEmpty == false || AudioDecoder.exists(for: stream.codec))
        }
        let whole = videos.filter { !$0.isEnhancementLayer }
        let candidates = whole.isEmpty ? videos : whole
        let chosen = candidates.first { $0.has(disposition: "default") } ?? candidates.first
        video = chosen?.index
        companion = chosen.flatMap { Self.companion(of: $0, among: videos) }
        played = (video.map { [$0] } ?? []) + audio.map(\.index)
    }

    /// The HEVC stream that is declared as an enhancement layer. If there is none, and the video declares no Dolby
    /// Vision at all: an HEVC stream with the same or half the width and height, because some muxers declare the layer
    /// as if it were complete video. `nil` unless the video is HEVC, too.
    private static func companion(of video: StreamDescription, among videos: [StreamDescription]) -> Int? {
        let others = videos.filter { $0.index != video.index && $0.codec == .hevc }
        guard video.codec == .hevc, let size = video.video else { return nil }
        if let declared = others.first(where: \.isEnhancementLayer) { return declared.index }
        guard size.dolbyVision == nil else { return nil }
        return others.first { other in
            guard let layer = other.video, [nil, 7].contains(layer.dolbyVision?.profile) else { return false }
            return [1, 2].contains { layer.width * $0 == size.width && layer.height * $0 == size.height }
        }?.index
    }

    /// The route of a stream that is an enhancement layer.
    static func layerRoute(of video: Int?) -> Route {
        .none("it is the enhancement layer of stream \(video ?? 0) and cannot be played alone")
    }

    /// The streams that are read from the source.
    var read: Set<Int> { Set(played + (companion.map { [$0] } ?? [])) }

    /// - Precondition: at least one stream is played.
    var lead: Int { played[0] }

    /// Whether the load allows the video to be encoded, or asks for that.
    var mayEncodeVideo: Bool {
        options.videoBridge != .never || options.burnedSubtitles != nil || !options.ladder.isEmpty
    }

    func codec(of stream: Int) -> CodecID? { media.streams.first { $0.index == stream }?.codec }

    /// - Parameter stream: a stream that is played.
    func way(of stream: StreamDescription) -> Way {
        if let reason = softwareReason(of: stream) { return .software(reason) }
        return ladders[stream.index].map { .ladder($0) } ?? .remuxed
    }

    /// The audio streams that can be served only by remuxing them. Empty if the source has a single audio stream.
    var remuxedOnly: [Int] {
        guard ladders.count > 1 else { return [] }
        return ladders.keys.sorted().filter { ladders[$0]?.count == 1 && !isBridged($0) }
    }

    /// The choice after these streams have turned out not to be remuxable.
    func refusingRemux(of streams: [Int]) -> StreamChoice {
        guard !streams.isEmpty else { return self }
        var facts = facts
        for stream in streams { facts[stream]?.isRemuxable = false }
        return StreamChoice(facts, media, options)
    }

    /// Whether the stream must be decoded and re-encoded.
    func isBridged(_ stream: Int) -> Bool {
        if case .bridge = ladders[stream]?.first { true } else { false }
    }

    private static func facts(_ info: StreamInfo?, _ stream: StreamDescription) -> AudioMatrix.Facts {
        AudioMatrix.Facts(
            codec: stream.codec,
            profile: stream.profile,
            channels: stream.audio?.channels ?? 0,
            bitDepth: stream.audio?.bitDepth ?? 0,
            hasConfiguration: info?.extradata.isEmpty == false,
            frameLength: info?.frameLength ?? 0,
            isDecodable: AudioDecoder.exists(for: stream.codec)
        )
    }

    func route(of stream: StreamDescription) -> Route {
        if !media.isOwn(stream.index) {
            return .none("it belongs to \(media.programs(of: stream.index)); program \(media.program ?? 0) is played")
        }
        if let protection = stream.protection { return .none("\(protection)") }
        switch ladders[stream.index]?.first {
        case .remux(_, let reason): return .remux(reason)
        case .bridge(_, let reason): return .bridge(reason)
        case nil: break
        }
        if let reason = softwareReason(of: stream) { return .software(reason) }
        if played.contains(stream.index) { return .remux("remuxed into fMP4") }
        return switch stream.kind {
        case .video where stream.isEnhancementLayer: Self.layerRoute(of: video)
        case .video where Self.video.contains(stream.codec) || VideoDecoder.exists(for: stream.codec):
            .none("another video stream is selected")
        case .video, .audio: .none("there is no decoder for \(stream.codec.rawValue)")
        case .coverArt: .none("cover art is not part of the timeline")
        case .subtitle: .none("not part of the HLS output")
        case .data, .attachment: .none("not played")
        }
    }

    /// The reason why a played stream cannot be served, as far as its codec determines that. `nil` when it may be
    /// servable.
    private func softwareReason(of stream: StreamDescription) -> String? {
        guard played.contains(stream.index) else { return nil }
        switch stream.kind {
        case .video:
            guard !Self.video.contains(stream.codec) else { return nil }
            return "\(stream.codec.rawValue) cannot be carried in fMP4 without re-encoding"
        case .audio:
            guard ladders[stream.index]?.isEmpty != false else { return nil }
            return
                "\(options.profile.label) plays neither \(stream.codec.rawValue) nor any codec that the engine encodes to"
        case .coverArt, .subtitle, .data, .attachment: return nil
        }
    }

    func requirePlayable(path: String) throws(EngineError) {
        let own = media.ownStreams
        let path = media.programs.count > 1 ? "program \(media.program ?? 0) of \(path)" : path
        let videos = own.filter { $0.kind == .video }
        let audio = own.filter { $0.kind == .audio }
        guard !videos.isEmpty || !audio.isEmpty else {
            let kinds = own.map { $0.codec.rawValue }.joined(separator: ", ")
            throw EngineError(.noPlayableStream, "\(path) contains no video and no audio", cause: "streams: [\(kinds)]")
        }
        guard !played.isEmpty else {
            if (videos + audio).contains(where: { $0.protection != nil }) {
                throw .encrypted(path, videos + audio)
            }
            let codecs = (videos + audio).map { $0.codec.rawValue }.joined(separator: ", ")
            throw EngineError(
                .noPlayableStream,
                "\(path) contains only \(codecs), which cannot be decoded",
                cause: "there is no decoder for any of its streams"
            )
        }
    }
}

extension MediaDescription {
    /// Notices about encrypted video and audio streams, which are not played.
    var encryptionNotices: [Notice] {
        ownStreams.filter { $0.kind == .video || $0.kind == .audio }.compactMap { stream in
            stream.protection.map {
                Notice(.warning, "track.encrypted", "\(stream.codec.rawValue) stream \(stream.index) is \($0)")
            }
        }
    }
}

extension StreamDescription {
    /// Whether the container declares the stream as a Dolby Vision enhancement layer without a base layer.
    fileprivate var isEnhancementLayer: Bool {
        guard let record = video?.dolbyVision else { return false }
        return record.hasEnhancementLayer && !record.hasBaseLayer
    }
}
