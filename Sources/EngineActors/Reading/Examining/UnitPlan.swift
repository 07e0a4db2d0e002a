// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Makes the plan of a DVD's title from the times of its units. Reads only as many units as segments need; if it skips
/// units, each unit that it reads is a boundary.
struct UnitPlan: Sendable {
    /// The minimum number of units of a long title that are read; at most twice as many are read.
    private static let sampleCount = 4096
    /// The same for a source on a server.
    private static let remoteSampleCount = 256
    /// The number of units that are tried in the place of one that has no entry.
    private static let attempts = 3
    /// The same at the start of a part, without which there is no plan.
    private static let firstAttempts = 64

    static let timeBase = TimeBase.hertz(90_000)

    private let map: UnitMap
    private let timeline: TitleTimeline
    /// Whether pictures are placed by their decode times, as in a scan.
    private let isDecoded: Bool
    /// The time of the first picture.
    private let first: Int64?
    private let isRemote: Bool
    /// One of this many units is read.
    private let step: Int
    private var planner: SegmentPlanner
    /// The next unit to read. `nil` at the end of the title.
    private var next: UnitMap.Place?
    /// The number of entries found in the current part.
    private var found = 0
    /// The time of the latest entry.
    private var latest = Int64.min

    /// - Parameters:
    ///   - limits: those of the leading track's plan, in ticks of 90 kHz.
    ///   - first: the time of the first picture.
    ///   - isDecoded: whether pictures are placed by their decode times.
    ///   - isRemote: whether the title is on a server.
    init(
        _ map: UnitMap,
        _ timeline: TitleTimeline,
        _ limits: SegmentPlanner.Limits,
        first: Int64?,
        isDecoded: Bool,
        isRemote: Bool
    ) {
        (self.map, self.timeline, self.first) = (map, timeline, first)
        (self.isDecoded, self.isRemote) = (isDecoded, isRemote)
        step = Self.step(map.count, lasting: timeline.duration, target: limits.target, isRemote: isRemote)
        var limits = limits
        // The planner takes the first entry after each line of a grid. With a finer grid, that is each of them.
        if step > 1 { limits.target = max(1, limits.target / 2) }
        planner = SegmentPlanner(limits: limits)
        next = UnitMap.Place(part: 0, unit: 0)
    }

    /// One of how many units is read, so that segments last up to `target`.
    private static func step(_ count: Int, lasting duration: Int64, target: Int64, isRemote: Bool) -> Int {
        let unit = max(1, duration / Int64(max(1, count)))
        return max(1, Int(target / unit), count / (isRemote ? remoteSampleCount : sampleCount))
    }

    /// The plan so far. It is complete once all units have been read.
    var plan: SegmentPlan {
        SegmentPlan(
            timeBase: Self.timeBase,
            boundaries: planner.boundaries,
            end: next == nil ? timeline.duration : nil,
            origin: .index,
            keyframes: planner.keyframes,
            trickPlayKeyframes: planner.trickPlayKeyframes
        )
    }

    /// Reads all units that the plan needs.
    ///
    /// - Returns: the reason for rejecting the map. `nil`: the plan is complete.
    mutating func finish(_ bytes: any ByteCursor) throws(EngineError) -> ContainerIndex.Distrust? {
        guard map.isUsable else {
            return .init(text: "the map has no unit of a part of the title")
        }
        // On a server, all of them are fetched in parallel.
        if isRemote { bytes.expect(sampled.map { map.range(of: $0) }) }
        while let place = next {
            if let distrust = try read(place, bytes) { return distrust }
            next = self.place(after: place)
            if next?.part != place.part, found == 0 {
                return .init(text: "the map has no picture of a part of the title")
            }
            if next?.part != place.part { found = 0 }
        }
        planner.finish(end: timeline.duration)
        return nil
    }

    /// The units that will be read.
    private var sampled: [UnitMap.Place] {
        Array(sequence(first: UnitMap.Place(part: 0, unit: 0)) { place(after: $0) })
    }

    private func place(after place: UnitMap.Place) -> UnitMap.Place? {
        if place.unit + step < map.parts[place.part].count {
            return UnitMap.Place(part: place.part, unit: place.unit + step)
        }
        return place.part + 1 < map.parts.count ? UnitMap.Place(part: place.part + 1, unit: 0) : nil
    }

    /// Adds the entry of a unit, or of one of those after it that would not be read otherwise.
    private mutating func read(
        _ place: UnitMap.Place,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> ContainerIndex.Distrust? {
        let count = min(step, found == 0 ? Self.firstAttempts : Self.attempts, map.parts[place.part].count - place.unit)
        for unit in place.unit..<place.unit + max(0, count) {
            switch try map.content(of: UnitMap.Place(part: place.part, unit: unit), bytes) {
            case .foreign: return .init(text: "the map of units leads to something else")
            case .nothing, .lost: continue
            case .entry(let entry): return add(entry)
            }
        }
        return nil
    }

    private mutating func add(_ entry: UnitMap.Entry) -> ContainerIndex.Distrust? {
        let time = entry.time - (isDecoded ? entry.delay : 0)
        if planner.boundaries.isEmpty, time != first {
            return .init(text: "the map does not start with the first keyframe")
        }
        if found > 0, entry.time <= latest { return .init(text: "the times of units do not ascend") }
        latest = entry.time
        found += 1
        planner.add(Keyframe(time: time, seekTimestamp: time, position: entry.position))
        return nil
    }
}
