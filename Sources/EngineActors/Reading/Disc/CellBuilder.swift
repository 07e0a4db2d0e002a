// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Assembles a title from cells of a DVD: its bytes, its clock, and the map of its units.
///
/// Adjoining cells of one video object share its clock, and audio continues from one to the next, so they form one
/// part. When parts begin and end is read from navigation packs.
struct CellBuilder {
    struct Built {
        let pieces: [DiscFile.Piece]
        let stretches: [TitleTimeline.Stretch]
        let samples: [TitleTimeline.Sample]
        /// The cells in the order in which they were added, as far as the files contain the title.
        let cells: [TitleChapters.Cell]
        let map: UnitMap
        let notices: [Notice]
    }

    /// Adjoining cells of one video object.
    private struct Run {
        private(set) var cells: [ProgramChain.Cell]
        /// The number of sectors of each cell.
        private(set) var counts: [Int64]
        private(set) var sectors: [Range<Int64>]

        init(_ cell: ProgramChain.Cell, _ own: [Range<Int64>]) {
            (cells, sectors) = ([cell], own)
            counts = [own.reduce(0) { $0 + Int64($1.count) }]
        }

        mutating func add(_ cell: ProgramChain.Cell, _ own: [Range<Int64>]) {
            cells.append(cell)
            sectors += own
            counts.append(own.reduce(0) { $0 + Int64($1.count) })
        }

        /// The first sector of each cell.
        var starts: [Int64] {
            var (rest, starts) = (sectors[...], [Int64]())
            for count in counts {
                if let first = rest.first { starts.append(first.lowerBound) }
                var left = count
                while let first = rest.first, left > 0 {
                    left -= Int64(first.count)
                    rest = rest.dropFirst()
                }
            }
            return starts
        }

        /// The time for which the last picture stays on the screen. Only the last cell of a run may have a still.
        var still: Int64 { cells.last?.still.duration ?? 0 }
    }

    private static let size = ImageBytes.sectorByteCount
    /// The maximum number of units that are tried at the start, and at the end, of a part if they cannot be read.
    private static let attempts = 64
    /// The longest plausible part, in ticks of 90 kHz.
    private static let durationLimit: Int64 = 24 * 3600 * 90_000
    /// The maximum number of ranges of sectors in a title. A disc can list many for each of many cells.
    private static let rangeLimit = 400_000

    private let set: TitleSet
    private let objects: DiscFile
    private let reader: DiscFileReader
    private let pieces: [Int: [TitleSet.CellPiece]]
    private var runs: [Run] = []
    private var rangeCount = 0

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
        rangeCount += sectors.count
        guard rangeCount <= Self.rangeLimit else { return }
        if let last = runs.last?.cells.last, last.object == cell.object,
            last.sectors.upperBound == cell.sectors.lowerBound, last.angle == cell.angle, last.still.seconds == 0
        {
            runs[runs.count - 1].add(cell, sectors)
        } else {
            runs.append(Run(cell, sectors))
        }
    }

    /// - Parameters:
    ///   - path: the path of the disc, for messages.
    ///   - subtitles: the numbers of the title's subtitle streams.
    ///   - audio: the numbers of its audio streams.
    ///   - chapters: the cells with which chapters begin, by the order in which cells were added.
    func finish(
        _ path: String,
        subtitles: [Int],
        audio: [Int] = [],
        chapters: [Int] = []
    ) throws(EngineError) -> Built {
        guard rangeCount <= Self.rangeLimit else {
            let text = "the title of \(path) has more than \(Self.rangeLimit) ranges of sectors"
            throw EngineError(.resourceExhausted, text)
        }
        // Request these reads from a server together, so that they are fetched in parallel.
        if reader.isRemote { reader.expect(expectedReads(subtitles: subtitles.count, chapters)) }
        var found: [DiscFile.Piece] = []
        var stretches: [TitleTimeline.Stretch] = []
        var cells: [TitleChapters.Cell] = []
        var parts: [UnitMap.Part] = []
        var notices: [Notice] = []
        let endless = runs.flatMap(\.cells).filter(\.still.isEndless).count
        if endless > 0 { notices.append(.shortenedStills(endless, path)) }
        var head = TitleHead()
        var position: Int64 = 0
        for run in runs {
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
            if stretches.isEmpty {
                head.add(SubtitleHead.bytes(subtitles, time: first.start))
                var samples = UnitSamples(sampledUnits(), reader)
                try samples.add(audio, to: &head)
                found = head.pieces
                position = head.byteCount
            }
            let wanted = run.counts.reduce(0) { $0 + $1 * Self.size }
            let last = try lastUnit(of: run)
            let stated = run.cells.reduce(0) { $0 + $1.duration }
            let read = last.map { set.wholeFields(TitleTimeline.distance(from: first.start, to: $0.end)) } ?? 0
            let played = (1...Self.durationLimit).contains(read) ? read : max(1, stated)
            let stretch = TitleTimeline.Stretch(
                position: position,
                entry: first.start,
                start: stretches.last?.end ?? 0,
                duration: played + (byteCount < wanted ? 0 : run.still)
            )
            stretches.append(stretch)
            cells += Self.cells(of: run, part: parts.count, at: position)
            found += pieces
            parts.append(part(run, stretch))
            position += byteCount
            if byteCount < wanted {
                notices.append(.truncated(path))
                break
            }
        }
        guard !stretches.isEmpty else {
            throw EngineError(.sourceNotMedia, "\(path) is damaged", cause: "its title has no cells")
        }
        let map = UnitMap(parts: parts, isRemote: reader.isRemote)
        return Built(
            pieces: found,
            stretches: stretches,
            samples: head.samples,
            cells: cells,
            map: map,
            notices: notices
        )
    }

    /// All units of the title, in order, as far as the files contain them.
    private func sampledUnits() -> [UnitSamples.Unit] {
        runs.enumerated().flatMap { part, run in
            let starts = Set(run.starts)
            return run.sectors.flatMap { sectors in
                let found = units(in: sectors)
                return found.indices.map { place in
                    let next = set.units.indices.contains(place + 1) ? set.units[place + 1] : sectors.upperBound
                    return UnitSamples.Unit(
                        sector: found[place],
                        sectorCount: next - found[place],
                        part: part,
                        beginsCell: starts.contains(found[place])
                    )
                }
            }
        }
    }

    /// The first sector of each unit that begins in a range of sectors, as far as the files contain them.
    private func units(in sectors: Range<Int64>) -> ArraySlice<Int64> {
        let first = set.units.place { $0 >= sectors.lowerBound }
        let end = set.units.place { $0 >= min(sectors.upperBound, objects.byteCount / Self.size) }
        return set.units[first..<max(first, end)]
    }

    /// The places of a run's cells in the title, in which the run begins at `position`.
    private static func cells(of run: Run, part: Int, at position: Int64) -> [TitleChapters.Cell] {
        var start = position
        return run.counts.map { count in
            defer { start += count * size }
            return TitleChapters.Cell(part: part, range: start..<start + count * size)
        }
    }

    private func part(_ run: Run, _ stretch: TitleTimeline.Stretch) -> UnitMap.Part {
        var position = stretch.position
        let runs = run.sectors.map { sectors -> UnitMap.Run in
            defer { position += Int64(sectors.count) * Self.size }
            return UnitMap.Run(units: units(in: sectors), sector: sectors.lowerBound, position: position)
        }
        return UnitMap.Part(stretch, runs.filter { !$0.units.isEmpty })
    }

    /// The first unit in a range of sectors; if that cannot be read from the disc, the next one that can.
    ///
    /// - Returns: `nil` if something other than a unit is there, or if none of the first `attempts` units can be read.
    private func firstUnit(in sectors: Range<Int64>) throws(EngineError) -> VideoUnit? {
        let bytes = try reader.read(Self.range(ofUnitAt: sectors.lowerBound))
        guard VideoUnit.isBlank(bytes) else { return VideoUnit(bytes) }
        return try firstReadable(of: units(in: sectors).prefix(Self.attempts))
    }

    private func firstReadable(of units: some Sequence<Int64>) throws(EngineError) -> VideoUnit? {
        for sector in units {
            let bytes = try reader.read(Self.range(ofUnitAt: sector))
            if !VideoUnit.isBlank(bytes) { return VideoUnit(bytes) }
        }
        return nil
    }

    /// The last unit that the files still contain and that can be read. `nil` if the disc lists none, if something
    /// other than a unit is there, or if none of the last `attempts` units can be read.
    private func lastUnit(of run: Run) throws(EngineError) -> VideoUnit? {
        try firstReadable(of: run.sectors.reversed().lazy.flatMap { units(in: $0).reversed() }.prefix(Self.attempts))
    }

    /// The navigation pack of a unit.
    private static func range(ofUnitAt sector: Int64) -> Range<Int64> {
        sector * size..<sector * size + Int64(VideoUnit.packByteCount)
    }

    /// The ranges that opening the title reads, in the order in which they are requested. The start of the content
    /// comes first, because it takes longest; then come the edges of parts, the sample in the middle, the beginnings of
    /// the first chapters, what may be needed of the content after its start, and the beginnings of other chapters. The
    /// search for audio that begins later (`UnitSamples`) is not included, because each of its reads depends on the one
    /// before.
    ///
    /// - Parameters:
    ///   - subtitles: the number of subtitle streams.
    ///   - chapters: as in `finish`.
    private func expectedReads(subtitles: Int, _ chapters: [Int]) -> [Range<Int64>] {
        var edges: Set<Int64> = []
        for run in runs {
            edges.insert(run.sectors[0].lowerBound)
            if let last = run.sectors.reversed().lazy.compactMap({ units(in: $0).last }).first { edges.insert(last) }
        }
        let content = ByteRuns(runs.flatMap(\.sectors).map { $0.lowerBound * Self.size..<$0.upperBound * Self.size })
        let head = Int64(subtitles) * Self.size
        let byteCount = head + content.byteCount
        let duration = runs.flatMap(\.cells).reduce(0) { $0 + $1.duration }
        let start = TitleStart(of: .dvd, byteCount: byteCount, duration: duration)
        let sample = TitleSource.middleSample(of: .dvd, byteCount)
        func reads(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
            ranges.flatMap { range in
                Self.merged(content.part(max(0, range.lowerBound - head)..<max(0, range.upperBound - head)))
            }
        }
        let cells = runs.flatMap(\.starts)
        let starts = chapters.filter(cells.indices.contains).map { cells[$0] }.filter { !edges.contains($0) }
        return TitleChapters.joined(
            reads(start.first) + edges.sorted().map(Self.range) + reads([sample]),
            starts.prefix(TitleChapters.expectedReadCount).map(Self.range),
            reads(start.later)
        )
    }

    /// The ranges, with those that follow each other as one: cells often do.
    private static func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        ranges.reduce(into: []) { merged, range in
            guard let last = merged.last, last.upperBound == range.lowerBound else { return merged.append(range) }
            merged[merged.count - 1] = last.lowerBound..<range.upperBound
        }
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
