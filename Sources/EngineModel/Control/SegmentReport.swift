// SPDX-License-Identifier: Apache-2.0

/// The result of decoding one fMP4 segment in isolation.
public struct SegmentReport: Hashable, Sendable {
    public struct Track: Hashable, Sendable {
        public var codec = ""
        public var packets = 0
        public var decodedFrames = 0
        public var decodeErrors = 0
        public var start = MediaTime.zero
        public var end = MediaTime.zero
        public var startsWithKeyframe = false

        public init() {}
    }

    public var tracks: [Track] = []
    /// The decoder's messages, at most 20 lines.
    public var problems: [String] = []

    public init() {}
}
