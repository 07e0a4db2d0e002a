// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The units of video of a DVD's title. Decoding can begin at almost every unit. The disc states where each one begins; the
/// time is in the unit itself, and is read when it is needed.
struct UnitMap: Sendable {
    /// Units that adjoin in the title and in the video objects.
    struct Run: Sendable {
        /// The first sector of each unit in the video objects.
        let units: ArraySlice<Int64>
        /// The first sector of the run in the video objects, and its offset in the title.
        let sector: Int64
        let position: Int64
    }

    /// A part of a title, with a clock of its own.
    struct Part: Sendable {
        let stretch: TitleTimeline.Stretch
        private let runs: [Run]
        /// The number of units before each run.
        private let starts: [Int]
        let count: Int

        init(_ stretch: TitleTimeline.Stretch, _ runs: [Run]) {
            self.stretch = stretch
            self.runs = runs
            var count = 0
            starts = runs.map { run in
                defer { count += run.units.count }
                return count
            }
            self.count = count
        }

        /// The offset of a unit in the title.
        func position(of unit: Int) -> Int64 {
            let run = run(of: unit)
            let sector = runs[run].units[index(of: unit, in: run)]
            return runs[run].position + (sector - runs[run].sector) * ImageBytes.sectorByteCount
        }

        /// The unit that contains a byte of the title, which must lie in the part.
        func unit(at position: Int64) -> Int {
            var low = 0
            var high = count
            while high - low > 1 {
                let middle = (low + high) / 2
                if self.position(of: middle) <= position { low = middle } else { high = middle }
            }
            return low
        }

        /// The unit that begins a number of sectors before another one. `nil` if none does.
        func unit(_ sectors: Int64, before unit: Int) -> Int? {
            let run = run(of: unit)
            let last = index(of: unit, in: run)
            let units = runs[run].units[...last]
            let place = units.place { $0 >= units[last] - sectors }
            guard place < last, units[place] == units[last] - sectors else { return nil }
            return starts[run] + place - units.startIndex
        }

        /// The run that contains a unit.
        private func run(of unit: Int) -> Int { max(0, starts.place { $0 > unit } - 1) }

        private func index(of unit: Int, in run: Int) -> Int { runs[run].units.startIndex + unit - starts[run] }
    }

    /// The position of a unit in the order of the title.
    struct Place: Hashable, Sendable {
        let part: Int
        let unit: Int
    }

    /// The picture at which decoding can begin in a unit.
    struct Entry: Hashable, Sendable {
        /// On the clock of the title.
        let time: Int64
        /// The number of ticks from decoding to presenting the picture.
        let delay: Int64
        /// The offset of its first byte in the title.
        let position: Int64
    }

    /// What reading a unit has found.
    enum Content: Hashable, Sendable {
        case entry(Entry)
        /// The unit has no picture at which decoding can begin; it may only show an earlier one, such as a still.
        /// `after` is the last unit before it that has video, if the disc states that.
        case nothing(after: Int?)
        /// The unit could not be read from the disc (`ZeroFilledSource`).
        case lost
        /// Something other than a unit: the map is wrong.
        case foreign
    }

    /// The number of a DVD's video stream in MPEG-PS.
    static let video = 0x1E0
    /// The start code of a sequence header, which precedes a picture at which decoding can begin.
    private static let sequenceHeader: [UInt8] = [0, 0, 1, 0xB3]
    let parts: [Part]
    /// Whether each read costs a round trip to a server.
    let isRemote: Bool

    /// The number of units.
    var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether each part has a unit. Otherwise, positions cannot be found.
    var isUsable: Bool { parts.allSatisfy { $0.count > 0 } }

    /// Reads what a unit states.
    ///
    /// - Parameter bytes: a cursor of the title.
    func content(of place: Place, _ bytes: any ByteCursor) throws(EngineError) -> Content {
        let part = parts[place.part]
        let range = range(of: place)
        var read = try bytes.read(at: range.lowerBound, count: range.count)
        if VideoUnit.isBlank(read) { return .lost }
        guard var unit = VideoUnit(read) else { return .foreign }
        if unit.entry == nil, read.count < VideoUnit.byteCount {
            read = try bytes.read(at: range.lowerBound, count: VideoUnit.byteCount)
            unit = VideoUnit(read) ?? unit
        }
        guard let entry = unit.entry, entry.payload.starts(with: Self.sequenceHeader) else {
            return .nothing(after: unit.previousVideo.flatMap { part.unit($0, before: place.unit) })
        }
        return .entry(
            Entry(
                time: part.stretch.placed(entry.time),
                delay: TitleTimeline.distance(from: entry.decodingTime, to: entry.time),
                position: range.lowerBound + Int64(entry.offset)
            )
        )
    }

    /// The range of a title that `content` reads first. The picture is mostly in the second pack of a unit; from a
    /// server, more is read at once, because another request would cost more.
    func range(of place: Place) -> Range<Int64> {
        let position = parts[place.part].position(of: place.unit)
        return position..<position + Int64(isRemote ? VideoUnit.byteCount : 2 * VideoUnit.packByteCount)
    }

    /// As `TitleMap.position`.
    func position(
        atOrBefore time: Int64,
        _ plan: SegmentPlan?,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> Int64? {
        guard let part = parts.lastIndex(where: { $0.stretch.start <= time }) else { return 0 }
        var search = search(for: time, in: part, plan)
        while case let units = search.next(), !units.isEmpty {
            if isRemote { bytes.expect(units.map { range(of: Place(part: part, unit: $0)) }) }
            for unit in units where search.needs(unit) {
                let content = try content(of: Place(part: part, unit: unit), bytes)
                if content == .foreign { return nil }
                search.add(content, of: unit)
            }
        }
        return search.low.position
    }

    /// A search between the boundaries of a plan around a time, or in the whole part if they are not known.
    private func search(for time: Int64, in number: Int, _ plan: SegmentPlan?) -> UnitSearch {
        let part = parts[number]
        let end = number + 1 < parts.count ? parts[number + 1].stretch.position : .max
        var low = UnitSearch.Bound(unit: 0, time: part.stretch.start, position: part.stretch.position)
        var high = UnitSearch.Bound(unit: part.count, time: part.stretch.end, position: end)
        if let plan, plan.origin == .index, let index = plan.segment(at: time) {
            for boundary in plan.boundaries[index...].prefix(2)
            where part.count > 0 && (low.position..<end).contains(boundary.position) {
                let unit = part.unit(at: boundary.position)
                let bound = UnitSearch.Bound(unit: unit, time: boundary.time, position: boundary.position)
                if boundary.time <= time { low = bound } else { high = bound }
            }
        }
        return UnitSearch(time, after: low, before: high)
    }
}
