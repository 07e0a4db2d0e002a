// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension SegmentPlan {
    /// How far key frames by which a player winds are apart at least: one a second is what players want, and keyframes that
    /// are meant to be a second apart are a little less than that where rates are not whole.
    package static let windingInterval = MediaTime(microseconds: 900_000)
    /// More are not kept: those of 16 hours, one a second. What lies behind has the ones that open segments.
    static let windingLimit = 1 << 16

    /// The same source cut at every key frame by which a player can wind: those that open segments, and further ones well within.
    ///
    /// What it announces never changes either: which key frames a segment has is settled when the segment is announced.
    package var winding: SegmentPlan {
        let margin = Self.windingInterval.ticks(in: timeBase) / 2
        var fine = self
        (fine.boundaries, fine.windings) = ([], [])
        fine.boundaries.reserveCapacity(boundaries.count + windings.count)
        // Where each boundary of this plan is among those of the finer one.
        var places: [Int] = []
        var further = windings[...]
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
