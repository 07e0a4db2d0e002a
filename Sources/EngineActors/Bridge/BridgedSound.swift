// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A packet of a bridged track with its time in ticks of the stream; `nil` for one that follows the one before.
package struct BridgePacket: Sendable {
    package let packet: Packet
    package let time: Int64?

    package init(packet: Packet, time: Int64?) {
        self.packet = packet
        self.time = time
    }
}

/// The frames of one segment of a bridged track.
package struct BridgedSound: Sendable {
    package struct Frame: Sendable {
        package let payload: any ByteRegion
        /// In samples on the timeline.
        package let time: Int64
        package let duration: Int64
    }

    package var frames: [Frame] = []
    /// Packets that could not be decoded; silence stands for them.
    package var brokenPackets = 0
    /// Whether many packets gave no sound at all.
    package var isSilent = false
    package var hasChangedFormat = false
}
