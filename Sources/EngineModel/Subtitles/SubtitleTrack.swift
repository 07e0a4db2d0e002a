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

    /// The stream's index in the source; a sidecar's place in the order of registration, from `firstSidecar` on.
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
    /// What the text of a sidecar was taken to be encoded in. Empty for pictures and streams.
    public var charset = ""

    public init(
        id: Int,
        codec: CodecID,
        language: String = "",
        title: String = "",
        dispositions: [String] = [],
        isText: Bool,
        origin: Origin
    ) {
        self.id = id
        self.codec = codec
        self.language = language
        self.title = title
        self.dispositions = dispositions
        self.isText = isText
        self.origin = origin
    }

    public func has(disposition: String) -> Bool { dispositions.contains(disposition) }
}

extension CodecID {
    /// ASS and SSA: what is in their packets are lines of a script.
    public var isScript: Bool { rawValue == "ass" || rawValue == "ssa" }
}
