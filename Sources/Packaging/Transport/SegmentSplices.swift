// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Finds SCTE 35 messages in the transport streams that are the segments of a live playlist. Pure.
package struct SegmentSplices: Sendable {
    private var streams = StreamSuccession()
    private var messages = SpliceMessages()

    package init() {}

    /// - Returns: the messages that no earlier call returned. Each delay counts from the segment's first picture.
    package mutating func take(_ segment: [UInt8]) -> [StreamReception.Splice] {
        let length = TransportPacket.byteCount
        let packets = stride(from: 0, through: segment.count - length, by: length).lazy
            .compactMap { place in TransportPacket(segment, at: place).map { ($0, place) } }
        func payload(_ packet: TransportPacket, _ place: Int) -> ArraySlice<UInt8> {
            segment[(place + packet.payloadOffset)..<(place + length)]
        }
        var first: Int64?
        for (packet, place) in packets {
            guard case .unit(let time?) = packet.payload, segment[place + packet.payloadOffset + 3] & 0xF0 == 0xE0
            else { continue }
            first = time
            break
        }
        var found: [StreamReception.Splice] = []
        for (packet, place) in packets {
            _ = streams.take(packet, payload(packet, place))
            guard streams.spliceStreams.contains(packet.stream) else { continue }
            found += messages.take(packet, payload(packet, place), at: Int64(place), newest: first)
        }
        _ = streams.takeChanges()
        return found
    }
}
