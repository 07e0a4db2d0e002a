// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Pictures that an edit list hides but that others may need for decoding (`Packet.isDiscarded`).
///
/// A segment has no means to hide a picture after the start of the timeline. A hidden picture that is needed is
/// therefore shown for a single tick, directly before the next picture that is presented.
enum HiddenPictures {
    /// How many pictures after a keyframe are searched for one that is presented before it.
    private static let reorderWindow = 32

    /// The pictures of a segment without the hidden ones that no presented picture depends on.
    ///
    /// - Parameters:
    ///   - pictures: in decoding order. Those before the first presented one are all kept.
    ///   - isClosed: whether nothing after the segment depends on its pictures.
    static func needed(_ pictures: [Packet], isClosed: Bool) -> [Packet] {
        guard pictures.contains(where: \.isDiscarded), let first = pictures.firstIndex(where: { !$0.isDiscarded })
        else { return pictures }
        var kept = Array(pictures[..<first])
        var run: [Packet] = []
        for index in pictures[first...].indices {
            let picture = pictures[index]
            if picture.isDiscarded {
                // Decoding can begin here, so nothing from here on depends on the hidden pictures before it.
                if picture.isKey, isEntry(pictures[index...]) { run = [] }
                run.append(picture)
            } else {
                if !picture.isKey || !isEntry(pictures[index...]) { kept += run }
                run = []
                kept.append(picture)
            }
        }
        return isClosed ? kept : kept + run
    }

    /// Whether every presented picture that follows a keyframe in decoding order is also presented after it.
    ///
    /// - Parameter pictures: in decoding order, from the keyframe on.
    private static func isEntry(_ pictures: ArraySlice<Packet>) -> Bool {
        guard let time = pictures.first?.pts else { return true }
        return pictures.dropFirst().prefix { !$0.isKey }.prefix(reorderWindow)
            .allSatisfy { $0.isDiscarded || $0.pts.map { $0 > time } ?? true }
    }

    /// The pictures of a segment, with new times for the hidden ones.
    ///
    /// - Parameters:
    ///   - pictures: in decoding order.
    ///   - isFirst: whether the segment is the first one. Hidden pictures before its first presented one keep their
    ///     times.
    ///   - end: where the segment ends, if known.
    static func placed(_ pictures: [TimedPacket], isFirst: Bool, end: Int64?) -> [TimedPacket] {
        guard pictures.contains(where: \.packet.isDiscarded) else { return pictures }
        let shown = pictures.filter { !$0.packet.isDiscarded }.map(\.time).sorted()
        guard let first = shown.first, let last = shown.last else { return pictures }
        // By the time of a shown picture, or the end: the indices of the hidden pictures to place directly before it.
        // They are in decoding order, and are presented in this order.
        var hidden: [Int64: [Int]] = [:]
        for group in groups(of: pictures) {
            let own = group.filter { !pictures[$0].packet.isDiscarded }.map { pictures[$0].time }
            let later = pictures[group.upperBound...].filter { !$0.packet.isDiscarded }.map(\.time).min()
            for index in group where pictures[index].packet.isDiscarded {
                let time = pictures[index].time
                if isFirst, time < first { continue }
                let next = own.filter { $0 >= time }.min() ?? later ?? max(end ?? .min, last + 1)
                hidden[next, default: []].append(index)
            }
        }
        var placed = pictures
        for (next, indices) in hidden {
            let previous = shown.last { $0 < next } ?? .min
            for (rank, index) in indices.enumerated() {
                let time = max(previous, next - Int64(indices.count - rank))
                placed[index] = TimedPacket(packet: pictures[index].packet, time: time)
            }
        }
        return placed
    }

    /// The pictures from each keyframe to the next.
    private static func groups(of pictures: [TimedPacket]) -> [Range<Int>] {
        let starts = pictures.indices.filter { $0 == 0 || pictures[$0].packet.isKey }
        return zip(starts, starts.dropFirst() + [pictures.count]).map { $0..<$1 }
    }
}
