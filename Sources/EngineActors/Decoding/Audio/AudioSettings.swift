// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The requirements of a sink for the audio it is given.
struct AudioSettings: Hashable, Sendable {
    /// The format that the sink wants.
    var format: AudioFormat
    /// Playback rate: how many seconds of the timeline pass in one second.
    var rate: Double
    /// The volume, 0 … 1.
    var gain: Double
    /// The sink's generation. A new generation uses no filter state of the old one.
    var generation: UInt64
}

/// Audio that is ready for the sink, and the lap of the loop that it belongs to.
struct AudioPiece: Sendable {
    let audio: TimedAudio
    let lap: UInt64
}
