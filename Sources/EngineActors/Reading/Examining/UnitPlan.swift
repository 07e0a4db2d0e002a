// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Makes the plan of a DVD's title from the times of its units of video (VOBUs). Reads only as many units as segments
/// need; if it skips units, each unit that it reads is a boundary.
///
/// On a server, each read costs a request. There, the plan begins with a few units, and grows while the others are read.
struct UnitPlan: Sendable {
    /// If segments of the wanted length need more units than about this many, segments become longer. At most about
    /// twice as many units are read.
    private static let sampleCount = 4096
    /// The same for a source on a server.
    private static let remoteSampleCount = 512
    /// The number of segments of the wanted length at the start of a title on a server, so that playback begins soon.
    private static let denseCount = 32
    /// The number of units with which the plan of a title on a server begins: those that are read in one round trip. A
    /// plan of up to twice as many is complete at once.
    private static let firstCount = 5
    /// How many units of a growing plan are requested at a time: while a caller waits for the plan, as many as a source
    /// on an HTTP server has connections; otherwise fewer, so that some connections are left for playback.
    private static let parallelCount = (awaited: 5, usual: 3)
    /// How many units are tried at most, from the wanted one on, until one has an entry.
    private static let attempts = 3
    /// The same at the start of a part, whose first entry the plan needs.
    private static let firstAttempts = 64

    static let timeBase = TimeBase.hertz(90_000)

    private let map: UnitMap
    private let timeline: TitleTimeline
    /// Whether pictures are placed by their decode times, as in a scan.
    private let isDecoded: Bool
    /// The time of the first picture.
    private let first: Int64?
    private let steps: Steps
    private var planner: SegmentPlanner
    /// The next unit to read. `nil` at the end of the title.
    private var next: UnitMap.Place?
    /// Whether the beginning of the plan is known, so that segments may be announced. From then on, units that
    /// contradict the map are left out, because announced segments never change.
    private var isGrowing = false
    /// The number of entries found in the current part, and the time and the unit of the latest one.
    private var entries = (count: 0, latest: Int64.min, unit: -1)

    /// - Parameters:
    ///   - limits: those of the leading track's plan, in ticks of 90 kHz.
    ///   - first: the time of the first picture.
    ///   - isDecoded: whether pictures are placed by their decode times.
    init(
        _ map: UnitMap,
        _ timeline: TitleTimeline,
        _ limits: SegmentPlanner.Limits,
        first: Int64?,
        isDecoded: Bool
    ) {
        (self.map, self.timeline, self.first, self.isDecoded) = (map, timeline, first, isDecoded)
        steps = Steps(map, lasting: timeline.duration, target: limits.target)
        var limits = limits
        // The planner takes the first entry after each line of a grid. With a grid twice as fine, it takes every entry.
        if steps.fine > 1 { limits.target = max(1, limits.target / 2) }
        planner = SegmentPlanner(limits: limits)
        next = UnitMap.Place(part: 0, unit: 0)
    }

    /// The distances, in units, from one unit that is read to the next.
    private struct Steps {
        /// The largest distance with which segments are not longer than wanted.
        let fine: Int
        /// A larger distance for a long title, so that not too many units are read. Otherwise the same distance.
        let coarse: Int
        /// The unit of the first part from which on the step is coarse.
        let border: Int

        init(_ map: UnitMap, lasting duration: Int64, target: Int64) {
            let unit = max(1, duration / Int64(max(1, map.count)))
            fine = max(1, Int(target / unit))
            coarse = max(fine, map.count / (map.isRemote ? remoteSampleCount : sampleCount))
            border = map.isRemote ? denseCount * fine : 0
        }

        func unit(after place: UnitMap.Place) -> Int {
            place.unit + (place.part == 0 && place.unit < border ? fine : coarse)
        }
    }

    /// The ranges that are read for the beginning of the plan of a title on a server, if segments have the default
    /// target duration.
    static func expectedReads(_ map: UnitMap, _ timeline: TitleTimeline) -> [Range<Int64>] {
        guard map.isUsable else { return [] }
        let limits = SegmentPlanner.Limits(target: LoadOptions().segmentTarget, timeBase: timeBase)
        let plan = UnitPlan(map, timeline, limits, first: nil, isDecoded: false)
        return plan.firstPlaces.map { map.range(of: $0) }
    }

    /// The plan so far. It is complete once all units have been read.
    var plan: SegmentPlan {
        SegmentPlan(
            timeBase: Self.timeBase,
            boundaries: planner.boundaries,
            end: isComplete ? end : nil,
            origin: .index,
            keyframes: planner.keyframes,
            trickPlayKeyframes: planner.trickPlayKeyframes
        )
    }

    /// Whether all units have been read.
    var isComplete: Bool { next == nil }

    /// The fraction of the title that has been read.
    var progress: Double {
        guard let next else { return 1 }
        return Double(map.parts[..<next.part].reduce(next.unit) { $0 + $1.count }) / Double(max(1, map.count))
    }

    /// The end of the title, in ticks.
    var end: Int64 { timeline.duration }

    /// The longest segment that is expected: a unit lasts up to a second (DVD-Video), unless its picture is a still.
    var longestSegment: MediaTime {
        let second = MediaTime.seconds(1).ticks(in: Self.timeBase)
        let unit = max(second, 2 * timeline.duration / Int64(max(1, map.count)))
        let still = zip(timeline.stretches, map.parts).map { $0.duration - Int64($1.count) * unit }.max() ?? 0
        return MediaTime(Int64(steps.coarse) * unit + max(0, still), in: Self.timeBase)
    }

    /// Reads the units with which the plan begins. For a title on a disk, these are all units that the plan needs.
    ///
    /// - Returns: the reason for rejecting the map; `nil` if there is none.
    mutating func begin(_ bytes: any ByteCursor) throws(EngineError) -> ContainerIndex.Distrust? {
        guard map.isUsable else { return .init(text: "the map has no unit of a part of the title") }
        let isWhole = !map.isRemote || firstPlaces.count != Self.firstCount
        var count = 0
        if map.isRemote { bytes.expect(firstPlaces.map { map.range(of: $0) }) }
        while next != nil, isWhole || count < Self.firstCount {
            if let distrust = try readNext(bytes) { return distrust }
            count += 1
        }
        guard !planner.boundaries.isEmpty else { return .otherStart }
        isGrowing = true
        return nil
    }

    /// Reads more units: at least one, and then until a deadline.
    ///
    /// - Parameter isAwaited: whether playback cannot begin before the plan is longer.
    mutating func advance(_ bytes: any ByteCursor, isAwaited: Bool, until deadline: Deadline) throws(EngineError) {
        let count = isAwaited ? Self.parallelCount.awaited : Self.parallelCount.usual
        repeat {
            bytes.expect(places.prefix(count).map { map.range(of: $0) })
            _ = try readNext(bytes)
        } while next != nil && !deadline.hasPassed
    }

    /// The units that will be read.
    private var places: some Sequence<UnitMap.Place> {
        sequence(state: next) { place in
            defer { place = place.flatMap { self.place(after: $0) } }
            return place
        }
    }

    /// The units with which the plan of a title on a server begins.
    private var firstPlaces: [UnitMap.Place] {
        let all = Array(places.prefix(2 * Self.firstCount + 1))
        return all.count <= 2 * Self.firstCount ? all : Array(all.prefix(Self.firstCount))
    }

    private func place(after place: UnitMap.Place) -> UnitMap.Place? {
        let unit = steps.unit(after: place)
        if unit < map.parts[place.part].count { return UnitMap.Place(part: place.part, unit: unit) }
        return place.part + 1 < map.parts.count ? UnitMap.Place(part: place.part + 1, unit: 0) : nil
    }

    private mutating func readNext(_ bytes: any ByteCursor) throws(EngineError) -> ContainerIndex.Distrust? {
        guard let place = next else { return nil }
        if let distrust = try read(place, bytes), !isGrowing { return distrust }
        next = self.place(after: place)
        if next?.part != place.part {
            if entries.count == 0, !isGrowing { return .init(text: "the map has no picture of a part of the title") }
            (entries.count, entries.unit) = (0, -1)
        }
        if next == nil { planner.finish(end: end) }
        return nil
    }

    /// Adds the entry of a unit. If the unit has none, adds the entry of the earlier unit whose picture it still shows,
    /// or else of one of the following units that are skipped otherwise.
    private mutating func read(
        _ place: UnitMap.Place,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> ContainerIndex.Distrust? {
        let end = min(steps.unit(after: place), map.parts[place.part].count)
        for unit in (place.unit..<end).prefix(entries.count == 0 ? Self.firstAttempts : Self.attempts) {
            let tried = UnitMap.Place(part: place.part, unit: unit)
            if map.isRemote, tried != place { bytes.expect([map.range(of: tried)]) }
            switch try map.content(of: tried, bytes) {
            case .foreign: return .init(text: "the map of units leads to something else")
            case .nothing(let video?) where unit == place.unit && video > entries.unit:
                // Few units of a slide show have a picture.
                let shown = UnitMap.Place(part: place.part, unit: video)
                if map.isRemote { bytes.expect([map.range(of: shown)]) }
                if case .entry(let entry) = try map.content(of: shown, bytes) { return add(entry, of: shown) }
            case .nothing, .lost: continue
            case .entry(let entry): return add(entry, of: tried)
            }
        }
        return nil
    }

    private mutating func add(_ entry: UnitMap.Entry, of place: UnitMap.Place) -> ContainerIndex.Distrust? {
        let time = entry.time - (isDecoded ? entry.delay : 0)
        if planner.boundaries.isEmpty, time != first { return .otherStart }
        if entries.count > 0, entry.time <= entries.latest { return .init(text: "the times of units do not ascend") }
        // One such time would otherwise make all later ones seem wrong.
        guard map.parts[place.part].stretch.presents(entry.time) else {
            return .init(text: "the time of a unit is outside its part of the title")
        }
        entries = (entries.count + 1, entry.time, place.unit)
        planner.add(Keyframe(time: time, seekTimestamp: time, position: entry.position))
        return nil
    }
}

extension ContainerIndex.Distrust {
    fileprivate static let otherStart = Self(text: "the map does not start with the first keyframe")
}
