// SPDX-License-Identifier: Apache-2.0

/// A list of cues that a session can show.
public struct SubtitleTrack: Hashable, Sendable {
    public enum Origin: Hashable, Sendable {
        /// A stream of the source.
        case embedded(stream: Int)
        /// A file beside it, by path or URL.
        case sidecar(String)
    }

    /// Sidecars are counted from here, so that no stream has their number.
    public static let firstSidecar = 100_000
    /// CC1 of the captions within the pictures; CC2 … CC4 follow.
    public static let firstCaption = 99_608
    /// Service 1 of CTA-708 within the pictures; services 2 … 63 follow.
    public static let firstService = 99_708

    /// The stream's index in the source; captions within its pictures count from `firstCaption` and `firstService`, the further pages of a
    /// stream of teletext or DVB subtitles are its index and one, times 1000, and the page or its place;
    /// a sidecar's place in the order of registration, from `firstSidecar` on.
    public var id: Int
    public var codec: CodecID
    /// As the source has it. Empty when unknown.
    public var language: String
    public var title: String
    /// Words such as `default`, `forced`, `hearing_impaired`.
    public var dispositions: [String]
    /// Whether its cues are text; else they are pictures.
    public var isText: Bool
    public var origin: Origin
    /// Of a stream that holds several: the page of teletext (100 … 899), the channel or service of captions (1 … 4, 1 … 63), or
    /// the place of the page of DVB subtitles. 0: whatever the stream has, or the first.
    package var service: Int
    /// What the text of a sidecar was taken to be encoded in. Empty for pictures and streams.
    public var charset = ""

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

    // Never inlined: the optimizer of Swift 6.3 fails where it is, in what the fuzzers are built with.
    /// The stream of the source whose packets hold it. `nil` for a sidecar.
    @inline(never) package var stream: Int? { if case .embedded(let stream) = origin { stream } else { nil } }

    /// Whether it is captions within the pictures, whose stream is the video.
    @inline(never) package var isWithinPictures: Bool {
        guard case .embedded(let stream) = origin else { return false }
        return stream != id && codec.isCaptions
    }

    public func has(disposition: String) -> Bool { dispositions.contains(disposition) }
}

extension CodecID {
    /// ASS and SSA: what is in their packets are lines of a script.
    public var isScript: Bool { rawValue == "ass" || rawValue == "ssa" }

    /// Captions of CEA-608 or of CTA-708.
    package var isCaptions: Bool { rawValue == "eia_608" || isCaptionService }
    /// A service of CTA-708. libavcodec has no name for it.
    package var isCaptionService: Bool { rawValue == "eia_708" }
}
