// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// The pictures of one segment of a bridged video track.
package struct BridgedVideo: Sendable {
    package struct Picture: Sendable {
        package let packet: Packet
        /// In ticks of the track.
        package let time: Int64
    }

    /// In decoding order. The first is a keyframe.
    package var pictures: [Picture] = []
    /// The number of frames that could not be decoded. Each is replaced by the frame before it; at the start of the
    /// segment by the first decoded frame, or by black if none could be decoded.
    package var repeatedFrames = 0
}
