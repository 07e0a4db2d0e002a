// SPDX-License-Identifier: Apache-2.0

/// What a decoder makes of one fMP4 segment that it is given alone.
package struct SegmentReport: Hashable, Sendable {
    package struct Track: Hashable, Sendable {
        package var codec = ""
        package var packets = 0
        package var decodedFrames = 0
        package var decodeErrors = 0
        package var start = MediaTime.zero
        package var end = MediaTime.zero
        package var startsWithKeyframe = false

        package init() {}
    }

    package var tracks: [Track] = []
    /// What the decoder complained of, at most 20 lines.
    package var problems: [String] = []

    package init() {}
}
