// SPDX-License-Identifier: Apache-2.0

/// What a decoder makes of one fMP4 segment that it is given alone.
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
    /// What the decoder complained of, at most 20 lines.
    public var problems: [String] = []

    public init() {}
}
