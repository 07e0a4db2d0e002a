// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel

/// Gives every packet of a video the time that identifies its picture.
package struct PacketClock {
    private let timing: DecodingFacts.Timing
    /// The decode time of the next packet, if known.
    private var next: Int64?
    private var last = Int64.min
    /// Whether the current packet may be the remainder of a picture whose beginning was not read.
    private var isCut: Bool

    package init(_ timing: DecodingFacts.Timing, from entrance: Entrance) {
        self.timing = timing
        if case .counted = timing { next = entrance.time }
        isCut = !entrance.isAtPicture
    }

    /// The packet with its time. Unless the container states presentation times, the packet gets this time as its PTS,
    /// because a decoder passes the PTS on to the picture. `nil` for a packet that does not reveal its time.
    package mutating func timed(_ packet: Packet) -> PictureRun.Entry? {
        switch timing {
        case .shown:
            if let time = packet.pts { return .init(packet: packet, time: time, decodeTime: packet.dts) }
            return packet.dts.map { .init(packet: packet, time: $0, isGuess: true) }
        case .decoded:
            guard let time = packet.dts ?? packet.pts else { return nil }
            return entry(packet, ascending(time))
        case .partly(let length): return counted(packet, length)
        case .counted(let length):
            let time = next ?? 0
            next = time &+ (length > 0 ? length : max(0, packet.duration))
            return entry(packet, time)
        }
    }

    /// The source itself states a time only for the first picture that begins in a PES packet (ISO/IEC 13818-1,
    /// 2.4.3.7). Every other picture starts when the previous one ends. The times that libavformat gives these pictures
    /// are guesses, and wrong after a seek.
    private mutating func counted(_ packet: Packet, _ length: Int64) -> PictureRun.Entry? {
        defer { isCut = false }
        // If reading began within a picture, libavformat gives its remainder the time of the next picture.
        let own = packet.position == nil || isCut ? nil : packet.dts
        guard let time = own ?? next else { return nil }
        let decoded = ascending(time)
        next = decoded &+ (packet.duration > 0 ? packet.duration : length)
        var entry = entry(packet, decoded)
        // Pictures that no other picture refers to are shown when they are decoded. For all others, only the source's
        // own times are reliable.
        if let shown = packet.pts, let guess = packet.dts, own != nil || shown == guess {
            entry.shownTime = decoded &+ (shown &- guess)
        }
        return entry
    }

    private func entry(_ packet: Packet, _ time: Int64) -> PictureRun.Entry {
        .init(packet: packet.presented(at: time), time: time)
    }

    /// Makes every packet's time unique, because pictures are identified by it.
    private mutating func ascending(_ time: Int64) -> Int64 {
        last = last == .min ? time : max(time, last &+ 1)
        return last
    }
}
