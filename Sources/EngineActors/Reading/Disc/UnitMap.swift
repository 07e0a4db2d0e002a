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
            var low = 0
            var high = runs.count
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= unit { low = middle } else { high = middle }
            }
            let run = runs[low]
            let sector = run.units[run.units.startIndex + unit - starts[low]]
            return run.position + (sector - run.sector) * ImageBytes.sectorByteCount
        }
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
        /// A unit without such a picture: it may only show one that was decoded before it, such as a still.
        case nothing
        /// The unit could not be read from the disc (`ZeroFilledSource`).
        case lost
        /// Something other than a unit: the map is wrong.
        case foreign
    }

    /// The number of a DVD's video stream in MPEG-PS.
    static let video = 0x1E0
    /// The start code of a sequence header, with which a picture begins where decoding can begin.
    private static let sequenceHeader: [UInt8] = [0, 0, 1, 0xB3]
    /// The maximum number of units that are read to find a position.
    private static let searchLimit = 40

    let parts: [Part]

    /// The number of units.
    var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// - Parameters:
    ///   - bytes: a cursor of the title.
    ///   - packs: the number of packs that are read first. The picture is mostly in the second one; if it is not there,
    ///     more are read.
    func content(of place: Place, _ bytes: any ByteCursor, packs: Int = 2) throws(EngineError) -> Content {
        let part = parts[place.part]
        let position = part.position(of: place.unit)
        var read = try bytes.read(at: position, count: packs * VideoUnit.packByteCount)
        if VideoUnit.isBlank(read) { return .lost }
        guard var unit = VideoUnit(read) else { return .foreign }
        if unit.entry == nil, read.count < VideoUnit.byteCount {
            read = try bytes.read(at: position, count: VideoUnit.byteCount)
            unit = VideoUnit(read) ?? unit
        }
        guard let entry = unit.entry, entry.payload.starts(with: Self.sequenceHeader) else { return .nothing }
        return .entry(
            Entry(
                time: part.stretch.placed(entry.time),
                delay: TitleTimeline.distance(from: entry.decodingTime, to: entry.time),
                position: position + Int64(entry.offset)
            )
        )
    }

    /// The range of a title that `content` reads first.
    func range(of place: Place, packs: Int) -> Range<Int64> {
        let position = parts[place.part].position(of: place.unit)
        return position..<position + Int64(packs * VideoUnit.packByteCount)
    }

    /// As `TitleMap.position`. Reads a few units: where one is expected if all were equally long, and then between those
    /// that were found.
    func position(atOrBefore time: Int64, _ bytes: any ByteCursor) throws(EngineError) -> Int64? {
        guard let number = parts.lastIndex(where: { $0.stretch.start <= time }) else { return 0 }
        let part = parts[number]
        var found = part.stretch.position
        // The unit is one of `low..<high`.
        var (low, high) = (0, part.count)
        var (start, end) = (part.stretch.start, part.stretch.end)
        var reads = 0
        while high - low > 1, reads < Self.searchLimit {
            let share = Double(time - start) / Double(max(1, end - start))
            // If units differ much in length, halves are better.
            let next = reads % 3 == 2 ? (low + high) / 2 : low + Int(min(share, 1) * Double(high - low))
            let tried = min(max(next, low + 1), high - 1)
            var unit = tried
            var entry: Entry?
            // A unit without an entry continues the one before it.
            while unit > low, entry == nil, reads < Self.searchLimit {
                reads += 1
                switch try content(of: Place(part: number, unit: unit), bytes) {
                case .entry(let read): entry = read
                case .nothing, .lost: unit -= 1
                case .foreign: return nil
                }
            }
            if let entry, entry.time <= time {
                (low, start, found) = (tried, entry.time, entry.position)
            } else if entry == nil, unit == low {
                // All units up to here continue the one at `low`.
                low = tried
            } else {
                (high, end) = (max(unit, low + 1), entry?.time ?? end)
            }
        }
        return found
    }
}
