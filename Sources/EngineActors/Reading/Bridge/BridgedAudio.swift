// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A packet of a bridged track with its time in ticks of the stream. A time of `nil` means that the packet directly
/// follows the previous one.
package struct BridgePacket: Sendable {
    package let packet: Packet
    package let time: Int64?

    package init(packet: Packet, time: Int64?) {
        self.packet = packet
        self.time = time
    }
}

/// The frames of one segment of a bridged track.
package struct BridgedAudio: Sendable {
    package struct Frame: Sendable {
        package let payload: any ByteRegion
        /// In samples on the timeline.
        package let time: Int64
        package let duration: Int64
    }

    package var frames: [Frame] = []
    /// The number of packets that could not be decoded or were skipped; silence replaces them.
    package var brokenPackets = 0
    /// The number of packets of an unknown format, which no bridge decodes.
    package var unknownPackets = 0
    /// Whether many packets were read but yielded no audio at all.
    package var isSilent = false
    package var hasChangedFormat = false
    /// Whether the audio was to be changed, but is as in the source because a filter failed.
    package var isUntreated = false
}
