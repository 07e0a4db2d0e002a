// SPDX-License-Identifier: Apache-2.0

/// A parsed master or media playlist, with its syntax errors.
package struct ParsedPlaylist: Hashable, Sendable {
    package struct Variant: Hashable, Sendable {
        package var uri: String
        package var attributes: PlaylistAttributes
    }

    package struct Segment: Hashable, Sendable {
        package var uri: String
        /// Seconds, from `EXTINF`.
        package var duration: Double
        package var isDiscontinuous: Bool
        /// `length[@offset]` from EXT-X-BYTERANGE.
        package var byteRange: ByteSlice?
        /// Index into `maps`.
        package var map: Int?
    }

    package struct Map: Hashable, Sendable {
        package var uri: String
        package var byteRange: ByteSlice?
    }

    /// A byte range of a resource. Implicit offsets are resolved.
    package struct ByteSlice: Hashable, Sendable {
        package var offset: Int
        package var length: Int
    }

    package var uri: String
    package var version: Int?
    package var isIndependent = false
    /// From EXT-X-STREAM-INF.
    package var variants: [Variant] = []
    package var renditions: [PlaylistAttributes] = []
    /// From EXT-X-I-FRAME-STREAM-INF.
    package var keyframeVariants: [Variant] = []
    package var isKeyframesOnly = false
    package var targetDuration: Int?
    /// CAN-SKIP-UNTIL, in seconds: delta updates skip only segments that are farther than this from the end.
    package var skipBoundary: Double?
    /// SKIPPED-SEGMENTS of a delta update. `segments` has the skipped ones too, from the version before.
    package var skippedSegments: Int?
    package var mediaSequence = 0
    package var playlistType: String?
    package var hasEndList = false
    package var segments: [Segment] = []
    package var maps: [Map] = []
    package var isEncrypted = false
    /// Whether any EXTINF has a fraction (RFC 8216 §7: version 3).
    package var hasFractions = false
    package var problems: [ValidationProblem] = []

    package var isMaster: Bool { !variants.isEmpty || !renditions.isEmpty || !keyframeVariants.isEmpty }
    package var duration: Double { segments.reduce(0) { $0 + $1.duration } }

    init(uri: String) { self.uri = uri }
}
