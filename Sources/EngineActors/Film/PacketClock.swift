// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Gives every packet of a video the time by which its picture is looked for.
struct PacketClock {
    private let timing: FilmFacts.Timing
    private var next: Int64
    private var last = Int64.min
    /// Times that were in the source itself. Where most are not, libavformat guesses them from those before, and wrongly after
    /// a seek: the first may even belong to a picture of which reading has missed the beginning.
    private var ownTimes: Int
    private static let settledTimes = 2

    /// - Parameters:
    ///   - base: of the first packet, where packets are counted.
    ///   - isAtStart: whether reading begins at the start of the source.
    init(_ timing: FilmFacts.Timing, base: Int64, isAtStart: Bool) {
        self.timing = timing
        next = base
        ownTimes = isAtStart ? Self.settledTimes : 0
    }

    /// The packet with its time, which is also its presentation time where that is not known at all: a decoder hands it on.
    /// `nil` for a packet that says nothing of its time.
    mutating func timed(_ packet: Packet) -> PictureRun.Entry? {
        switch timing {
        case .shown:
            if let time = packet.pts { return .init(packet: packet, time: time, decodeTime: packet.dts) }
            return packet.dts.map { .init(packet: packet, time: $0, isGuess: true) }
        case .decoded:
            guard let time = decodeTime(of: packet) else { return nil }
            return .init(packet: packet.presented(at: time), time: time)
        case .partly:
            if let shown = packet.pts, let decoded = packet.dts, shown > decoded { ownTimes += 1 }
            guard ownTimes >= Self.settledTimes, let time = decodeTime(of: packet) else { return nil }
            return .init(packet: packet.presented(at: time), time: time, shownTime: packet.pts)
        case .counted(let length):
            defer { next = next &+ (length > 0 ? length : max(0, packet.duration)) }
            return .init(packet: packet.presented(at: next), time: next)
        }
    }

    /// Every packet has one of its own, as pictures are told apart by it.
    private mutating func decodeTime(of packet: Packet) -> Int64? {
        guard let time = packet.dts ?? packet.pts else { return nil }
        last = last == .min ? time : max(time, last &+ 1)
        return last
    }
}
