// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A source's audio, as a bridge decodes it.
struct AudioBridgeInput: Sendable {
    let parameters: CodecParameters
    /// The format to which the track's first packets are decoded.
    let format: AudioFormat
    /// Length of a packet in ticks of the stream.
    let packetTicks: Int64
}
