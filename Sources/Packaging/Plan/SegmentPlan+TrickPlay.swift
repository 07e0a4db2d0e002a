// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension SegmentPlan {
    /// The minimum distance between keyframes for trick play. Players want one per second; the interval is a little
    /// shorter because keyframes meant to be a second apart are slightly closer at fractional frame rates.
    package static let trickPlayInterval = MediaTime(microseconds: 900_000)
    /// Limit: 65,536 keyframes, enough for 16 hours at the minimum distance. After that, only those that start segments
    /// are available.
    static let trickPlayLimit = 1 << 16

    /// A plan of the same source with a boundary at every keyframe for trick play: those that start segments, and those
    /// at least half of `trickPlayInterval` away from both ends of their segment.
    ///
    /// Announced segments of that plan never change either: the keyframes of a segment are final once the segment is
    /// announced.
    package var trickPlayPlan: SegmentPlan {
        let margin = Self.trickPlayInterval.ticks(in: timeBase) / 2
        var fine = self
        (fine.boundaries, fine.trickPlayKeyframes) = ([], [])
        fine.boundaries.reserveCapacity(boundaries.count + trickPlayKeyframes.count)
        // The index of each boundary of this plan in the finer plan.
        var places: [Int] = []
        var further = trickPlayKeyframes[...]
        for (index, boundary) in boundaries.enumerated() {
            places.append(fine.boundaries.count)
            fine.boundaries.append(boundary)
            guard let end = index + 1 < boundaries.count ? boundaries[index + 1].time : end else { break }
            while let keyframe = further.first, keyframe.time <= end &- margin {
                further.removeFirst()
                if keyframe.time >= boundary.time &+ margin { fine.boundaries.append(keyframe) }
            }
        }
        func place(_ segment: Int) -> Int {
            segment < places.count ? places[segment] : fine.boundaries.count + segment - places.count
        }
        fine.changes = changes.map { .init(firstSegment: place($0.firstSegment), privateData: $0.privateData) }
        fine.jumps = jumps.map { jump in
            var moved = jump
            moved.firstSegment = place(jump.firstSegment)
            return moved
        }
        return fine
    }
}
