// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// How a sink must be given audio.
struct AudioSettings: Hashable, Sendable {
    /// The format that the sink wants.
    var format: AudioFormat
    /// Playback rate: how many seconds of the timeline pass in one second.
    var rate: Double
    /// 0 … 1.
    var gain: Double
    /// Of the sink. A new generation starts without state from the old one.
    var generation: UInt64
}

/// Audio that is ready for the sink, and the lap of the loop that it belongs to.
struct AudioPiece: Sendable {
    let sound: TimedAudio
    let lap: UInt64
}
