// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// How far apart packets of different tracks with the same time may be in a source, and therefore how long readers wait
/// for a missing packet.
package enum Interleaving: Hashable, Sendable {
    /// The whole source can be read at once. Waiting for a packet costs nothing, so even badly interleaved files are
    /// read correctly.
    case stored
    /// A live transport stream of unknown length: waiting adds delay. Broadcasts keep their tracks within about two
    /// seconds.
    case live

    /// Classifies a source by its present state. `OpenedSource` keeps the result, which must not change while the
    /// source is open.
    init(of source: any ByteSource, in container: ContainerFormat) {
        let isUnbounded = source.growth.map { $0.expectedByteCount == nil && !$0.isRecording } ?? false
        let neverEnds = (source.isRemote || source.arrivesByItself) && isUnbounded
        let isLive = neverEnds && container.isMPEGTS
        self = isLive ? .live : .stored
    }

    /// Video this far past a time without audio means that the audio has a gap there, or has ended. Muxers of files
    /// hold audio back for up to ten seconds.
    var gap: MediaTime { self == .live ? .seconds(4) : .seconds(12) }

    /// How far past a boundary every track must have been read before the boundary is announced. In a live stream, a
    /// track that lags behind by more than `gap` does not count. In an HLS source, how far past the end of a segment
    /// every other media playlist must reach before the segment is announced.
    package static let margin = MediaTime.seconds(0.5)

    /// How much of a source is read to identify its streams. In a live stream, where further reading adds delay, the
    /// first packets of a stream must hold its parameters, which broadcasts repeat often. `nil`: no limit.
    var patience: MediaTime? { self == .live ? .seconds(2) : nil }

    /// A decode time of the leading track this much earlier than the previous one belongs to another clock. Decode times
    /// rise; smaller steps are those between packets of which only some state a decode time.
    static let leadStepBack = MediaTime.seconds(0.5)

    /// A decode time of another track this much earlier than the previous one belongs to another clock.
    var stepBack: MediaTime { self == .live ? .seconds(1.5) : .seconds(1) }

    /// A decode time this much later than the previous one of its track belongs to another clock. In a file, shorter
    /// gaps stay in the timeline, so that times match those of other tools. There is a limit because libavformat may
    /// mistake an earlier clock for one that has wrapped.
    var stepAhead: MediaTime { self == .live ? .seconds(10) : .seconds(3600) }

    /// If all tracks step ahead by this much, there is no media for the time between. In a live stream, that time is
    /// removed from the timeline as at a jump, because players would stall in it. Longer than the distance at which
    /// broadcasts keep their tracks; shorter holes are not.
    var hole: MediaTime { self == .live ? .seconds(3) : stepAhead }

    /// The target duration of segments. Players are at least one segment behind a live stream, so its segments are
    /// shorter unless the client requests another duration.
    package func target(_ options: LoadOptions) -> MediaTime {
        self == .live && options.requestedSegmentTarget == nil ? .seconds(2) : options.segmentTarget
    }
}
