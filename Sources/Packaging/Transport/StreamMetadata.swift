// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Reads what a transport stream carries beside its media: messages about ad breaks, events and the time of day. Pure.
struct StreamMetadata: Sendable {
    private var splices = SpliceMessages()
    private var tables = TableReading()
    /// The time of the latest unit.
    private var newest: Int64?

    /// - Parameters:
    ///   - payload: the payload of `packet`.
    ///   - stream: the PID under which the packet is passed on.
    ///   - isSplice: whether the packet belongs to an elementary stream with SCTE 35 messages.
    ///   - position: the position of the packet in the stream.
    ///   - reception: receives what is found.
    mutating func take(
        _ packet: TransportPacket,
        _ payload: ArraySlice<UInt8>,
        as stream: Int,
        isSplice: Bool,
        at position: Int64,
        into reception: inout StreamReception
    ) {
        if case .unit(let time?) = packet.payload, !packet.isDamaged {
            newest = time
            tables.note(time, of: stream)
        }
        if isSplice {
            let found = splices.take(packet, payload, at: position, newest: newest)
            reception.splices += found.prefix(max(0, StreamReception.spliceLimit - reception.splices.count))
        }
        if tables.take(packet, payload, at: position) { reception.tables = tables.tables }
    }
}
