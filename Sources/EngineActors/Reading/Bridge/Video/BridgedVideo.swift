// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// The pictures of one segment of a bridged video track.
package struct BridgedVideo: Sendable {
    package struct Picture: Sendable {
        package let packet: Packet
        /// In ticks of the track.
        package let time: Int64
    }

    /// In decoding order. The first is an IDR picture.
    package var pictures: [Picture] = []
    /// Frames that could not be decoded; the frame before each is shown instead.
    package var repeatedFrames = 0
}
