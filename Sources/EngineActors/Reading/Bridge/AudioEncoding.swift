// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// How a bridge encodes audio: the encoder's settings, and the properties that it has once it is open.
struct AudioEncoding: Sendable {
    let settings: AudioEncoder.Settings
    /// Samples per frame.
    let frameLength: Int64
    /// The number of samples by which the encoder's output lags its input.
    let delay: Int64
    /// Frames that are encoded ahead of a segment and discarded.
    let leadingFrames: Int64

    var format: AudioFormat { settings.format }
}
