// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Assembles a title from cells of a DVD: its bytes, its clock, and its entry points.
///
/// Adjoining cells of one video object share its clock, and audio continues from one to the next, so they form one
/// part. Times are read from the navigation packs and from the pictures after them.
struct CellBuilder {
    struct Built {
        let pieces: [DiscFile.Piece]
        let stretches: [TitleTimeline.Stretch]
        /// When each cell begins on the title's clock.
        let starts: [Int64]
        let map: TitleMap?
        let notices: [Notice]
    }

    /// Adjoining cells of one video object.
    private struct Run {
        var cells: [ProgramChain.Cell]
        var sectors: [Range<Int64>]

        /// The time for which the last picture stays on the screen. Only the last cell of a run may have a still.
        var still: Int64 { cells.last?.still.duration ?? 0 }
    }

    private static let size = ImageBytes.sectorByteCount
    /// The number of a DVD's video stream in MPEG-PS.
    private static let video = 0x1E0
    /// The minimum number of units, if there are so many, that are read to find the times of entry points; at most
    /// twice as many are read. In a title of two hours, this is every second to fourth unit.
    private static let sampleCount = 4096
    /// The same for a source on a server.
    private static let remoteSampleCount = 256
    /// The number of units that are tried at the start and at the end of a part if they cannot be read.
    private static let attempts = 64
    /// The longest plausible part, in ticks of 90 kHz.
    private static let durationLimit: Int64 = 24 * 3600 * 90_000

    private let set: TitleSet
    private let objects: DiscFile
    private let reader: DiscFileReader
    private let pieces: [Int: [TitleSet.CellPiece]]
    private var runs: [Run] = []

    /// - Parameter objects: the video objects of the set's titles.
    init(_ set: TitleSet, _ objects: DiscFile, _ interrupt: InterruptFlag) {
        self.set = set
        self.objects = objects
        reader = DiscFileReader(objects, interrupt)
        pieces = Dictionary(grouping: set.pieces) { $0.object << 8 | $0.cell }
    }

    mutating func add(_ cell: ProgramChain.Cell) {
        // The sectors between the pieces of an angle belong to other angles.
        let own = (pieces[cell.object << 8 | cell.number] ?? []).map { $0.sectors.clamped(to: cell.sectors) }
            .filter { !$0.isEmpty }
        let sectors = own.isEmpty ? [cell.sectors] : own
        if let last = runs.last?.cells.last, last.object == cell.object,
            last.sectors.upperBound == cell.sectors.lowerBound, last.angle == cell.angle, last.still.seconds == 0
        {
            runs[runs.count - 1].cells.append(cell)
            runs[runs.count - 1].sectors += sectors
        } else {
            runs.append(Run(cells: [cell], sectors: sectors))
        }
    }

    /// - Parameters:
    ///   - path: the path of the disc, for messages.
    ///   - subtitles: the numbers of the title's subtitle streams.
    func finish(_ path: String, subtitles: [Int]) throws(EngineError) -> Built {
        let units = runs.map { run in run.sectors.flatMap(self.units) }
        let count = units.reduce(0) { $0 + $1.count }
        let step = max(1, count / (reader.isRemote ? Self.remoteSampleCount : Self.sampleCount))
        // Announce all reads from a server together, so that they are fetched in parallel.
        if reader.isRemote { reader.expect(sample(units, step: step)) }
        var found: [DiscFile.Piece] = []
        var stretches: [TitleTimeline.Stretch] = []
        var starts: [Int64] = []
        var entries: [[TitleMap.Entry]]? = []
        var notices: [Notice] = []
        let endless = runs.flatMap(\.cells).filter(\.still.isEndless).count
        if endless > 0 { notices.append(.shortenedStills(endless, path)) }
        var position: Int64 = 0
        for (run, units) in zip(runs, units) {
            let pieces = run.sectors.flatMap {
                objects.pieces(of: $0.lowerBound * Self.size..<$0.upperBound * Self.size)
            }
            let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
            guard byteCount >= Self.size, let first = try firstUnit(in: run.sectors[0]) else {
                guard byteCount < Self.size, !stretches.isEmpty else {
                    let text = "a cell of the title does not begin with a navigation pack"
                    throw EngineError(.sourceNotMedia, "\(path) is damaged", cause: text)
                }
                notices.append(.truncated(path))
                break
            }
            if stretches.isEmpty, !subtitles.isEmpty {
                let head = Self.head(subtitles, at: first.start)
                found.append(head)
                position = head.byteCount
            }
            let wanted = run.sectors.reduce(0) { $0 + Int64($1.count) * Self.size }
            let last = try lastUnit(units) ?? first
            let stated = run.cells.reduce(0) { $0 + $1.duration }
            let read = set.wholeFields(TitleTimeline.distance(from: first.start, to: last.end))
            let played = (1...Self.durationLimit).contains(read) ? read : max(1, stated)
            let stretch = TitleTimeline.Stretch(
                position: position,
                entry: first.start,
                start: stretches.last?.end ?? 0,
                duration: played + (byteCount < wanted ? 0 : run.still)
            )
            stretches.append(stretch)
            starts += try self.starts(of: run, stretch)
            found += pieces
            if let some = try self.entries(of: run, units, stretch, step: step), !some.isEmpty {
                entries?.append(some)
            } else {
                entries = nil
            }
            position += byteCount
            if byteCount < wanted {
                notices.append(.truncated(path))
                break
            }
        }
        guard !stretches.isEmpty else {
            throw EngineError(.sourceNotMedia, "\(path) is damaged", cause: "its title has no cells")
        }
        let map = entries.map { TitleMap(video: Self.video, precision: .exact, entries: $0) }
        return Built(pieces: found, stretches: stretches, starts: starts, map: map, notices: notices)
    }

    private static func head(_ subtitles: [Int], at time: Int64) -> DiscFile.Piece {
        let bytes = SubtitleHead.bytes(subtitles, time: time)
        var hash = StableHash()
        hash.add(bytes)
        let source = MemorySource(bytes, name: "the subtitles of a title", digest: hash.hexadecimal)
        return DiscFile.Piece(source: source, range: 0..<Int64(bytes.count))
    }

    /// The first sector of each unit that begins in a range of sectors.
    private func units(in sectors: Range<Int64>) -> ArraySlice<Int64> {
        let first = set.units.place { $0 >= sectors.lowerBound }
        let end = set.units.place { $0 >= sectors.upperBound }
        return set.units[first..<end]
    }

    /// The first unit in a range of sectors; if that cannot be read from the disc, the next one that can.
    ///
    /// - Returns: `nil` if something else is there.
    private func firstUnit(in sectors: Range<Int64>) throws(EngineError) -> VideoUnit? {
        let bytes = try bytes(ofUnitAt: sectors.lowerBound)
        guard Self.isLost(bytes) else { return VideoUnit(bytes) }
        return try firstReadable(of: units(in: sectors).prefix(Self.attempts))
    }

    private func firstReadable(of units: some Sequence<Int64>) throws(EngineError) -> VideoUnit? {
        for sector in units {
            let bytes = try bytes(ofUnitAt: sector)
            if !Self.isLost(bytes) { return VideoUnit(bytes) }
        }
        return nil
    }

    /// The first bytes of a unit, up to its first picture. That is mostly in the second pack, so on a disk, more is
    /// read only if necessary.
    private func bytes(ofUnitAt sector: Int64) throws(EngineError) -> [UInt8] {
        let whole = Self.range(ofUnitAt: sector)
        if !reader.isRemote {
            let bytes = try reader.read(whole.lowerBound..<whole.lowerBound + 2 * Self.size)
            if Self.isLost(bytes) || VideoUnit(bytes)?.entry != nil { return bytes }
        }
        return try reader.read(whole)
    }

    /// Whether a unit's navigation pack could not be read from the disc (`ZeroFilledSource`).
    private static func isLost(_ unit: [UInt8]) -> Bool {
        unit.count >= VideoUnit.packByteCount && unit.prefix(VideoUnit.packByteCount).allSatisfy { $0 == 0 }
    }

    private static func range(ofUnitAt sector: Int64) -> Range<Int64> {
        sector * size..<sector * size + Int64(VideoUnit.byteCount)
    }

    /// The ranges that will be read to sample the units, in order.
    private func sample(_ units: [[Int64]], step: Int) -> [Range<Int64>] {
        var sectors: Set<Int64> = []
        for (run, units) in zip(runs, units) {
            for index in stride(from: 0, to: units.count, by: step) { sectors.insert(units[index]) }
            sectors.formUnion(units.suffix(1))
            sectors.formUnion(run.cells.map(\.sectors.lowerBound))
        }
        return sectors.sorted().map(Self.range)
    }

    /// The last unit that the files still contain, and that can be read.
    private func lastUnit(_ units: [Int64]) throws(EngineError) -> VideoUnit? {
        let end = objects.byteCount / Self.size
        return try firstReadable(of: units.prefix { $0 < end }.suffix(Self.attempts).reversed())
    }

    /// When the cells of a run begin on the title's clock.
    private func starts(of run: Run, _ stretch: TitleTimeline.Stretch) throws(EngineError) -> [Int64] {
        var starts: [Int64] = []
        for cell in run.cells {
            guard starts.count > 0 else {
                starts.append(stretch.start)
                continue
            }
            guard let unit = try firstUnit(in: cell.sectors) else { break }
            starts.append(stretch.placed(unit.start))
        }
        return starts
    }

    /// - Returns: `nil` if the set's map of units is wrong: it does not lead to units, or their times do not ascend.
    private func entries(
        of run: Run,
        _ units: [Int64],
        _ stretch: TitleTimeline.Stretch,
        step: Int
    ) throws(EngineError) -> [TitleMap.Entry]? {
        let end = objects.byteCount / Self.size
        var entries: [TitleMap.Entry] = []
        var base = stretch.position
        var rest = run.sectors[...]
        for place in stride(from: 0, to: units.count, by: step) where units[place] < end {
            while let piece = rest.first, units[place] >= piece.upperBound {
                base += Int64(piece.count) * Self.size
                rest.removeFirst()
            }
            let bytes = try bytes(ofUnitAt: units[place])
            if Self.isLost(bytes) { continue }
            guard let piece = rest.first, let unit = VideoUnit(bytes) else { return nil }
            // A unit may contain no picture, and only show one that was decoded before it, such as a still.
            guard let entry = unit.entry, entry.payload.starts(with: [0, 0, 1, 0xB3]) else { continue }
            let time = stretch.entry + TitleTimeline.distance(from: stretch.entry, to: entry.time)
            guard entries.last.map({ $0.time < time }) ?? true else { return nil }
            let position = base + (units[place] - piece.lowerBound) * Self.size + Int64(entry.offset)
            let delay = TitleTimeline.distance(from: entry.decodingTime, to: entry.time)
            entries.append(TitleMap.Entry(time: time, delay: delay, position: position))
        }
        return entries
    }
}

extension Notice {
    fileprivate static func shortenedStills(_ count: Int, _ path: String) -> Notice {
        let seconds = ProgramChain.Still.longest
        let text = "\(count) stills of \(path) wait for the viewer to continue; each is shown for \(seconds) s"
        return Notice(.info, "disc.still_shortened", text)
    }

    static func truncated(_ path: String) -> Notice {
        Notice(.warning, "disc.truncated", "\(path) ends before its title does; the part that exists is played")
    }
}
