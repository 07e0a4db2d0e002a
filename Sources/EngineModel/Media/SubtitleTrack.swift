// SPDX-License-Identifier: Apache-2.0

/// A list of cues that a session can show.
public struct SubtitleTrack: Hashable, Sendable {
    public enum Origin: Hashable, Sendable {
        /// A stream of the source.
        case embedded(stream: Int)
        /// A file beside the source, by path or URL.
        case sidecar(String)
    }

    /// The first sidecar id, above all stream ids.
    public static let firstSidecar = 100_000
    /// CC1 of the captions embedded in the video; CC2 … CC4 follow.
    public static let firstCaption = 99_608
    /// Service 1 of the CTA-708 captions embedded in the video; services 2 … 63 follow.
    public static let firstService = 99_708

    /// The stream's index in the source. Captions embedded in the video count from `firstCaption` and `firstService`.
    /// Further pages of a teletext or DVB subtitle stream have (index + 1) × 1000 plus the page number or position.
    /// Sidecars count from `firstSidecar` in the order they were registered.
    public var id: Int
    public var codec: CodecID
    /// As the source spells it. Empty if unknown.
    public var language: String
    public var title: String
    /// Words such as `default`, `forced`, `hearing_impaired`.
    public var dispositions: [String]
    /// Whether its cues are text; otherwise they are images.
    public var isText: Bool
    public var origin: Origin
    /// For a stream that holds several: the teletext page (100 … 899), the caption channel (1 … 4) or service (1 … 63),
    /// or the position of the DVB subtitle page. 0: the whole stream, or its first.
    package var service: Int
    /// The text encoding used for a sidecar. Empty for images and streams.
    public var charset = ""
    /// Whether the engine found the sidecar by itself; see `LoadOptions.findsSubtitles`.
    public var isFound = false

    public init(
        id: Int,
        codec: CodecID,
        language: String = "",
        title: String = "",
        dispositions: [String] = [],
        isText: Bool,
        origin: Origin,
        service: Int = 0
    ) {
        self.id = id
        self.codec = codec
        self.language = language
        self.title = title
        self.dispositions = dispositions
        self.isText = isText
        self.origin = origin
        self.service = service
    }

    // Never inlined: otherwise the optimizer of Swift 6.3 fails in fuzzer builds.
    /// The stream of the source whose packets carry the track. `nil` for a sidecar.
    @inline(never) package var stream: Int? { if case .embedded(let stream) = origin { stream } else { nil } }

    /// Whether the track is captions embedded in the video. `stream` is then the video stream.
    @inline(never) package var isWithinPictures: Bool {
        guard case .embedded(let stream) = origin else { return false }
        return stream != id && codec.isCaptions
    }

    public func has(disposition: String) -> Bool { dispositions.contains(disposition) }
}

extension CodecID {
    /// ASS and SSA: packets hold lines of a script.
    public var isScript: Bool { rawValue == "ass" || rawValue == "ssa" }

    /// CEA-608 or CTA-708 captions.
    package var isCaptions: Bool { rawValue == "eia_608" || isCaptionService }
    /// A CTA-708 service. libavcodec has no name for it.
    package var isCaptionService: Bool { rawValue == "eia_708" }
}
