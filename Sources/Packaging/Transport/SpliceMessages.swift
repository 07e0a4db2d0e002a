// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Reads the SCTE 35 messages in a transport stream (ANSI/SCTE 35 §8) and reports each ad break once, although senders
/// repeat messages. Pure.
struct SpliceMessages: Sendable {
    /// The `stream_type` of the elementary streams that carry the messages.
    static let streamType: UInt8 = 0x86
    /// The number of events that are remembered.
    private static let eventLimit = 256
    private static let timeBase = TimeBase(1, 90_000)

    private var sections: [Int: PacketSections] = [:]
    /// The latest message about each event.
    private var latest: [UInt32: StreamReception.Splice.Kind] = [:]

    /// - Parameters:
    ///   - packet: of an elementary stream with SCTE 35 messages.
    ///   - payload: the payload of `packet`.
    ///   - position: the position of the packet in the stream.
    ///   - newest: the time of the newest media, in ticks of 90 kHz; `nil` before the first.
    mutating func take(
        _ packet: TransportPacket,
        _ payload: ArraySlice<UInt8>,
        at position: Int64,
        newest: Int64?
    ) -> [StreamReception.Splice] {
        guard !packet.isDamaged, packet.payload != .none else { return [] }
        let begins = packet.payload != .rest
        let found = sections[packet.stream, default: PacketSections()].add(payload, begins: begins)
        return found.flatMap { section in
            let info: SpliceInfo
            do throws(PackagingError) {
                info = try SpliceInfo(section)
            } catch {
                // Damaged and encrypted messages are skipped; the sender repeats the damaged ones.
                return [StreamReception.Splice]()
            }
            return Self.marks(in: info).compactMap { event, kind, time in
                // Without media, there is no clock to which the time could be related. The sender repeats the message.
                guard time == nil || newest != nil, isUnreported(event, kind) else { return nil }
                let delay = newest.flatMap { newest in
                    time.map { MediaTime(TransportPacket.distance(from: newest, to: $0), in: Self.timeBase) }
                }
                return StreamReception.Splice(position: position, event: event, kind: kind, delay: delay)
            }
        }
    }

    private mutating func isUnreported(_ event: UInt32, _ kind: StreamReception.Splice.Kind) -> Bool {
        if kind == .cancelled, latest[event] == nil { return false }
        if latest.count >= Self.eventLimit, latest[event] == nil { latest = [:] }
        return latest.updateValue(kind, forKey: event) != kind
    }

    /// The ad breaks that a message announces, and when they begin or end.
    private static func marks(
        in info: SpliceInfo
    ) -> [(event: UInt32, kind: StreamReception.Splice.Kind, time: Int64?)] {
        func length(_ ticks: Int64?) -> MediaTime? { ticks.map { MediaTime($0, in: timeBase) } }
        switch info.command {
        case .insert(let insert):
            let kind: StreamReception.Splice.Kind =
                insert.isCancelled ? .cancelled : insert.isOut ? .begins(duration: length(insert.duration)) : .ends
            return [(insert.event, kind, insert.time)]
        case .timeSignal(let time):
            return info.segmentations.compactMap { segmentation in
                if segmentation.isCancelled { return (segmentation.event, .cancelled, nil) }
                return segmentation.breakEdge.map { edge in
                    (
                        segmentation.event, edge == .start ? .begins(duration: length(segmentation.duration)) : .ends,
                        time
                    )
                }
            }
        case .null, .other: return []
        }
    }
}
