// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Reading

/// How far behind the live edge playback begins, and continues after a seek to the edge.
enum LiveDistance: Hashable, Sendable {
    /// Behind the end of the newest media that is listed, by the distance that a playlist states or that parts require
    /// (HOLD-BACK and PART-HOLD-BACK of draft-pantos-hls-rfc8216bis §4.4.3.8).
    case listed(MediaTime)
    /// Behind the media that arrives now. A segment is listed when all of it has arrived, so playback has to stay at
    /// least the longest segment and a reserve behind.
    case arriving(longestSegment: MediaTime, reserve: MediaTime)

    /// The time that remains for fetching a segment of a stream, and for media that arrives late.
    static let remainder = MediaTime.seconds(0.75)
    /// The reserve behind a stream, whose segments are listed when every track is past their end by a margin.
    static let streamReserve = Interleaving.margin + remainder

    /// The target latency: behind the listed or the arriving media.
    var target: MediaTime {
        switch self {
        case .listed(let distance): distance
        case .arriving(let longest, let reserve): longest + reserve
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
        // Even if nothing arrives any more, the seek leaves media to play.
        case .arriving: min(edge + age - target, edge - Self.remainder)
        }
    }
}
