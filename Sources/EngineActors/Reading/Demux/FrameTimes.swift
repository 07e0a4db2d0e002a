// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Presentation times for the pictures of one segment.
enum FrameTimes {
    /// The pictures with their times. A packet that only continues a picture gets that picture's time, and is left out
    /// if no picture precedes it.
    ///
    /// - Parameters:
    ///   - pictures: in decode order, starting with the random access point at `keyframe`.
    ///   - end: where the next segment starts; `nil` for the last one.
    static func whole(
        _ pictures: [Packet],
        of track: PlayedTrack,
        startingAt keyframe: Keyframe,
        endingAt end: Keyframe?
    ) -> [TimedPacket] {
        if let bridge = track.videoBridge, bridge.spacesEvenly {
            let delay = bridge.presentationDelay
            return spaced(pictures, track, from: keyframe.time &+ delay, to: end.map { $0.time &+ delay })
        }
        let isRest = pictures.map { track.transform.isRest($0) }
        let whole = zip(pictures, isRest).filter { !$0.1 }.map(\.0)
        var times = assign(to: whole, of: track, startingAt: keyframe)[...]
        guard whole.count < pictures.count, times.count == whole.count else { return Array(times) }
        var timed: [TimedPacket] = []
        for (packet, isRest) in zip(pictures, isRest) {
            if !isRest, let next = times.popFirst() {
                timed.append(next)
            } else if let last = timed.last {
                timed.append(TimedPacket(packet: packet, time: last.time))
            }
        }
        return timed
    }

    /// Gives the packets ascending times at even distances. They divide the segment if its end is known; otherwise they
    /// are a nominal frame apart. Which picture is shown at which of these times is known only after decoding.
    private static func spaced(
        _ pictures: [Packet],
        _ track: PlayedTrack,
        from start: Int64,
        to end: Int64?
    ) -> [TimedPacket] {
        let count = Int64(max(1, pictures.count))
        return pictures.indices.map { index in
            let offset =
                if let end { Int64(index) &* (end &- start) / count } else { Int64(index) &* track.nominalDuration }
            return TimedPacket(packet: pictures[index], time: track.timelineTicks(start &+ offset))
        }
    }

    /// - Parameter pictures: in decode order, starting with the random access point at `keyframe`.
    static func assign(to pictures: [Packet], of track: PlayedTrack, startingAt keyframe: Keyframe) -> [TimedPacket] {
        if track.timing == .presentation, pictures.allSatisfy({ $0.pts != nil }) {
            return pictures.map { TimedPacket(packet: $0, time: track.timelineTicks($0.pts ?? 0)) }
        }
        let slots = slots(of: pictures, track, from: keyframe.time)
        let ranks = outputRanks(of: pictures)
        return pictures.indices.map { index in
            TimedPacket(packet: pictures[index], time: track.timelineTicks(slots[ranks[index]]))
        }
    }

    /// One time for each picture, in ascending order: the decode times, or times at even distances from `start` if
    /// frames are counted or a picture has no time.
    private static func slots(of pictures: [Packet], _ track: PlayedTrack, from start: Int64) -> [Int64] {
        let times = pictures.compactMap { track.timing == .counted ? nil : $0.dts ?? $0.pts }
        if times.count == pictures.count { return times.sorted() }
        return pictures.indices.map { start &+ Int64($0) &* track.nominalDuration }
    }

    /// The rank of each picture in output order. Picture order counts restart at each keyframe whose count is 0. If any
    /// picture has no count, decode order is used as output order.
    private static func outputRanks(of pictures: [Packet]) -> [Int] {
        var ranks = Array(pictures.indices)
        guard pictures.allSatisfy({ $0.pictureOrder != nil }) else { return ranks }
        var start = 0
        while start < pictures.count {
            var end = start + 1
            while end < pictures.count, !(pictures[end].isKey && pictures[end].pictureOrder == 0) { end += 1 }
            let order = (start..<end).sorted {
                (pictures[$0].pictureOrder ?? 0, $0) < (pictures[$1].pictureOrder ?? 0, $1)
            }
            for (rank, index) in order.enumerated() { ranks[index] = start + rank }
            start = end
        }
        return ranks
    }
}
