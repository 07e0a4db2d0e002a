// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// How far behind the live edge playback begins, and continues after a seek to the edge.
enum LiveDistance: Hashable, Sendable {
    /// Behind the end of the newest media that is listed: what a playlist states, or parts require (HOLD-BACK and
    /// PART-HOLD-BACK of draft-pantos-hls-rfc8216bis §4.4.3.8).
    case listed(MediaTime)
    /// Behind the media that arrives now. A segment is listed when all of it has arrived, so playback has to stay at
    /// least the longest segment behind.
    case arriving(longestSegment: MediaTime)

    /// How much later than its end a segment of a live stream is listed: the scan waits for packets of all tracks.
    static let listing = MediaTime.seconds(0.5)
    /// What is left for fetching a segment, and for media that arrives late.
    static let reserve = MediaTime.seconds(0.75)

    /// The target latency: behind the listed or the arriving media.
    var target: MediaTime {
        switch self {
        case .listed(let distance): distance
        case .arriving(let longest): longest + Self.listing + Self.reserve
        }
    }

    /// Where playback begins.
    ///
    /// - Parameters:
    ///   - edge: the end of the media that can be played so far.
    ///   - age: the time since the media at the edge arrived.
    func position(edge: MediaTime, age: MediaTime) -> MediaTime {
        switch self {
        case .listed: edge - target
        // If nothing arrives any more, a little media is left to play.
        case .arriving: min(edge + age - target, edge - Self.reserve)
        }
    }
}
