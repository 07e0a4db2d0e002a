// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// How sound is to reach a sink.
struct SoundSettings: Hashable, Sendable {
    /// What the sink wants.
    var format: AudioFormat
    /// How many seconds of the timeline one second is.
    var rate: Double
    /// 0 … 1.
    var gain: Double
    /// Of the sink. A new one begins without a memory of the old.
    var generation: UInt64
}

/// Sound that is ready for the sink, and the round of the loop that it belongs to.
struct SoundPiece: Sendable {
    let sound: TimedSound
    let lap: UInt64
}
