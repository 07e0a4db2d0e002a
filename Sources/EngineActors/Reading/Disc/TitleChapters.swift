// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Where the chapters of a title begin.
enum TitleChapters: Sendable {
    /// A cell of a DVD's title.
    struct Cell: Hashable, Sendable {
        /// The index of the part that it belongs to.
        let part: Int
        /// Its bytes in the title.
        let range: Range<Int64>
    }

    /// At these times, in order, with their names as far as the disc has any.
    case times([MediaTime], names: [String?] = [])
    /// At the starts of these cells. The first unit of each states when the cell begins.
    case cells([Cell], UnitMap)

    /// The number of reads that are requested at a time.
    static let expectedReadCount = 64
    /// The number of reads of chapters that are requested before the media that is read later (`joined`). The rest
    /// follows that media, because it takes longer to arrive: each read takes a whole round trip.
    private static let earlyReadCount = 10

    /// Merges reads of chapters with reads of media, in the order in which they are requested.
    ///
    /// - Parameters:
    ///   - first: the media that is read before the chapters.
    ///   - later: the media that is read after them.
    static func joined(
        _ first: [Range<Int64>],
        _ chapters: [Range<Int64>],
        _ later: [Range<Int64>]
    ) -> [Range<Int64>] {
        first + chapters.prefix(earlyReadCount) + later + chapters.dropFirst(earlyReadCount)
    }

    /// The first reads of `starts`.
    var expectedReads: [Range<Int64>] {
        guard case .cells(let cells, let map) = self else { return [] }
        return Self.reads(of: cells.prefix(Self.expectedReadCount), map)
    }

    /// The name of a chapter, counted from 0; `nil` if the disc has none.
    func name(of chapter: Int) -> String? {
        guard case .times(_, let names) = self, names.indices.contains(chapter) else { return nil }
        return names[chapter]
    }

    /// The start of each chapter on the title's timeline, in ascending order. Cells whose start cannot be found are
    /// left out.
    ///
    /// - Parameter bytes: a cursor of the title.
    func starts(_ bytes: any ByteCursor) throws(EngineError) -> [MediaTime] {
        switch self {
        case .times(let times, _): return times
        case .cells(let cells, let map):
            var times: Set<Int64> = []
            for (number, cell) in cells.enumerated() {
                if number % Self.expectedReadCount == 0 {
                    bytes.expect(Self.reads(of: cells[number...].prefix(Self.expectedReadCount), map))
                }
                if let time = try map.start(of: cell, bytes) { times.insert(time) }
            }
            return times.sorted().map { MediaTime($0, in: .hertz(90_000)) }
        }
    }

    private static func reads(of cells: ArraySlice<Cell>, _ map: UnitMap) -> [Range<Int64>] {
        cells.filter { !map.beginsPart($0) }.map { cell in
            cell.range.lowerBound..<cell.range.lowerBound + Int64(VideoUnit.packByteCount)
        }
    }
}

extension UnitMap {
    /// The maximum number of units of a cell that are tried if the first ones cannot be read from the disc.
    private static let attempts = 64

    /// Whether the cell is the first one of its part. If so, it begins when the part begins.
    fileprivate func beginsPart(_ cell: TitleChapters.Cell) -> Bool {
        cell.range.lowerBound == parts[cell.part].stretch.position
    }

    /// When a cell begins, in ticks of the title; `nil` if something other than a unit is there, or if its units cannot
    /// be read.
    fileprivate func start(of cell: TitleChapters.Cell, _ bytes: any ByteCursor) throws(EngineError) -> Int64? {
        let part = parts[cell.part]
        if beginsPart(cell) { return part.stretch.start }
        let first = try bytes.read(at: cell.range.lowerBound, count: VideoUnit.packByteCount)
        guard VideoUnit.isBlank(first) else { return VideoUnit(first).map { part.stretch.placed($0.start) } }
        guard part.count > 0 else { return nil }
        for unit in (part.unit(at: cell.range.lowerBound)..<part.count).prefix(Self.attempts) {
            let position = part.position(of: unit)
            guard position < cell.range.upperBound else { return nil }
            guard position > cell.range.lowerBound else { continue }
            let read = try bytes.read(at: position, count: VideoUnit.packByteCount)
            if !VideoUnit.isBlank(read) { return VideoUnit(read).map { part.stretch.placed($0.start) } }
        }
        return nil
    }
}
