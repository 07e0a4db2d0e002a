// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// The result of giving a frame to a sink.
package enum Reception: Hashable, Sendable {
    case taken
    /// The sink's memory already contains the frame: nothing was copied.
    case takenInPlace
    /// The frame came too late, or the sink had no room for it.
    case dropped
    /// The sink has ended and needs no more frames.
    case gone
}

/// Counts the frames that were delivered to sinks.
package struct FramesDelivered: Hashable, Sendable {
    /// Without a copy: the decoder had written them to the sink's memory.
    package private(set) var inPlace: UInt64 = 0
    /// Copied, unchanged or converted.
    package private(set) var copied: UInt64 = 0

    mutating func count(_ reception: Reception) {
        switch reception {
        case .takenInPlace: inPlace += 1
        case .taken: copied += 1
        case .dropped, .gone: break
        }
    }
}

/// A consumer that shows frames. Frames arrive in presentation order, a little before they are due.
///
/// Generations count flushes and laps. A seek begins a new generation, after which frames of older generations are never
/// shown. The frame on screen stays until the first frame of the new generation arrives.
package protocol FrameSink: AnyObject, Sendable {
    /// Whether the sink shows frames in real time. Any other sink takes every frame at its own pace, and the playhead
    /// follows the sink.
    var isRealTime: Bool { get }
    /// The memory into which the decoder should write frames, while this is the session's only frame sink.
    var decoderMemory: (any DecoderMemory)? { get }
    /// Takes a frame. Suspends while there is no room: a real-time sink at most until the frame is due, unless the
    /// playhead stands still; any other sink without a time limit, unless other sinks wait for it.
    func take(_ frame: TimedFrame, generation: UInt64) async -> Reception
    /// From now on the sink shows only frames of `generation`. Resumes callers that wait in `take`. Returns at once.
    func flush(to generation: UInt64)
    /// The next lap of a loop begins: frames of `generation` follow the last ones. A real-time sink is flushed. Any other
    /// sink shows the frames that it was given before, too. Returns at once.
    func beginLap(_ generation: UInt64)
    /// Sets whether other sinks of the session wait for this one. If so, a sink that is not real-time must not block
    /// forever. Returns at once.
    func setAwaited(_ isAwaited: Bool)
    /// Passes the position and the rate of the playhead. Returns at once.
    func follow(_ anchor: PositionAnchor, generation: UInt64)
    /// No more frames follow in this generation.
    func finish(generation: UInt64)
}

extension FrameSink {
    package var decoderMemory: (any DecoderMemory)? { nil }

    package func setAwaited(_ isAwaited: Bool) {}

    package func beginLap(_ generation: UInt64) { flush(to: generation) }
}
