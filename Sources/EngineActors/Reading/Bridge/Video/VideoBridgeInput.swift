// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A source's video, as a bridge decodes it.
struct VideoBridgeInput: Sendable {
    let parameters: CodecParameters
    /// The size after cropping, in pixels.
    let stored: (width: Int, height: Int)
    /// Whether frames may be interlaced.
    let isInterlaced: Bool
    /// Whether packets may contain pictures that are never shown (VP8).
    let hasHiddenPictures: Bool
    /// A packet that is decoded before each segment because only it states that packets hold several pictures (packed
    /// MPEG-4 part 2). Its frame is discarded. `nil` for other streams.
    let primer: Packet?
}
