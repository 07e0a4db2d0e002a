// SPDX-License-Identifier: Apache-2.0

/// A title set of a DVD (`VTS_nn_0.IFO`): the streams of its titles, what each title plays, and where that is.
package struct TitleSet: Hashable, Sendable {
    /// A stream as the set describes it.
    package struct Stream: Hashable, Sendable {
        /// ISO 639-1; empty if the set does not declare it.
        package let language: String
        /// The number in program streams of the first stream of its kind: for audio, it depends on the codec; 0x20 for
        /// subtitles.
        package let base: Int
        /// What it is for, in the words of `StreamDescription.dispositions`. Empty for most streams.
        package let dispositions: [String]
    }

    /// The start of a chapter.
    package struct Chapter: Hashable, Sendable {
        /// Counted from 1.
        package let chain: Int
        /// Counted from 1.
        package let program: Int
    }

    /// A run of sectors in the set's video objects that belongs to one cell.
    package struct CellPiece: Hashable, Sendable {
        package let object: Int
        package let cell: Int
        package let sectors: Range<Int64>
    }

    package static let byteLimit = 16 << 20
    /// The limits of chapters in a title, titles in a set, and pieces of cells in a set.
    private static let chapterLimit = 999
    private static let titleLimit = 99
    private static let pieceLimit = 400_000

    /// By the codes of the set: commentary has two of audio, and one for each size of subtitles, as have captions.
    private static let audioPurposes: [UInt8: String] = [2: "visual_impaired", 3: "comment", 4: "comment"]
    private static let subtitlePurposes: [UInt8: String] = [
        5: "captions", 6: "captions", 7: "captions", 13: "comment", 14: "comment", 15: "comment",
    ]

    /// In pixels. The width is at most 720; the height is 480 or 576, or half of that.
    package let size: (width: Int, height: Int)
    /// Whether the pictures are shown at 16:9.
    package let isWide: Bool
    package let audio: [Stream]
    package let subtitles: [Stream]
    /// The chapters of each title, in the order of the set.
    package let chapters: [[Chapter]]
    /// In the order of their sectors.
    package let pieces: [CellPiece]
    /// The first sector of each unit of video (VOBU), which holds a navigation pack; in order.
    package let units: [Int64]
    private let isPAL: Bool
    private let bytes: [UInt8]
    private let chains: Int

    package init(_ bytes: [UInt8]) throws(PackagingError) {
        let subject = "the information of a title set"
        guard bytes.starts(with: "DVDVIDEO-VTS".utf8) else {
            throw PackagingError(.malformed, "\(subject) does not begin with DVDVIDEO-VTS")
        }
        guard bytes.count >= 0x400 else { throw PackagingError(.truncated, "\(subject) has \(bytes.count) bytes") }
        self.bytes = bytes
        isPAL = Self.isPAL(bytes)
        size = Self.size(bytes)
        isWide = bytes[0x200] >> 2 & 3 == 3
        audio = (0..<min(8, Int(bytes[0x203]))).map { number in
            let place = 0x204 + 8 * number
            let bases: [UInt8: Int] = [0: 0x80, 2: 0x1C0, 3: 0x1C0, 4: 0xA0, 6: 0x88]
            let language = bytes[place] >> 2 & 3 == 1 ? Self.language(bytes[place + 2..<place + 4]) : ""
            let purpose = Self.audioPurposes[bytes[place + 5]]
            return Stream(
                language: language,
                base: bases[bytes[place] >> 5] ?? 0x80,
                dispositions: purpose.map { [$0] } ?? []
            )
        }
        subtitles = (0..<min(32, Int(bytes[0x255]))).map { number in
            let place = 0x256 + 6 * number
            let language = bytes[place] & 3 == 1 ? Self.language(bytes[place + 2..<place + 4]) : ""
            let purpose = Self.subtitlePurposes[bytes[place + 5]]
            return Stream(language: language, base: 0x20, dispositions: purpose.map { [$0] } ?? [])
        }
        chapters = try Self.chapters(try InformationTable.reader(bytes, pointerAt: 0xC8, subject))
        pieces = try Self.pieces(try InformationTable.reader(bytes, pointerAt: 0xE0, subject))
        units = try Self.units(try InformationTable.reader(bytes, pointerAt: 0xE4, subject))
        chains = try InformationTable.start(bytes, pointerAt: 0xCC, subject)
    }

    package static func == (left: TitleSet, right: TitleSet) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Both letters in lower case. Empty if they are not letters.
    private static func language(_ letters: ArraySlice<UInt8>) -> String {
        let lower = letters.map { $0 | 0x20 }
        return lower.allSatisfy { (0x61...0x7A).contains($0) } ? String(decoding: lower, as: UTF8.self) : ""
    }

    private static func isPAL(_ bytes: [UInt8]) -> Bool { bytes[0x200] >> 4 & 3 != 0 }

    private static func size(_ bytes: [UInt8]) -> (width: Int, height: Int) {
        let height = isPAL(bytes) ? 576 : 480
        switch bytes[0x201] >> 2 & 3 {
        case 0: return (720, height)
        case 1: return (704, height)
        case 2: return (352, height)
        default: return (352, height / 2)
        }
    }

    /// A duration rounded down to whole fields, in ticks of 90 kHz: some authoring programs let a video object end with
    /// its audio, which is longer than its pictures.
    package func wholeFields(_ duration: Int64) -> Int64 {
        // At 59.94 fields a second, a field lasts 1501.5 ticks: the duration may have been rounded.
        let ticks: Int64 = isPAL ? 3600 : 3003
        let fields = (2 * duration + 4) / ticks
        return (fields * ticks + 1) / 2
    }

    private static func chapters(_ table: ByteReader) throws(PackagingError) -> [[Chapter]] {
        var reader = table
        let count = Int(try reader.uint16())
        guard count <= titleLimit else {
            throw PackagingError(.limitExceeded, "\(table.subject) has \(count) titles, the limit is \(titleLimit)")
        }
        try reader.skip(2)
        let end = Int(try reader.uint32()) + 1
        var starts: [Int] = []
        for _ in 0..<count { starts.append(Int(try reader.uint32())) }
        var titles: [[Chapter]] = []
        for (number, start) in starts.enumerated() {
            let next = number + 1 < count ? starts[number + 1] : end
            var part = table
            try part.skip(start)
            var chapters: [Chapter] = []
            for _ in 0..<min(chapterLimit, max(0, next - start) / 4) {
                chapters.append(Chapter(chain: Int(try part.uint16()), program: Int(try part.uint16())))
            }
            titles.append(chapters)
        }
        return titles
    }

    private static func pieces(_ table: ByteReader) throws(PackagingError) -> [CellPiece] {
        var reader = table
        try reader.skip(4)
        let count = max(0, Int(try reader.uint32()) - 7) / 12
        guard count <= pieceLimit else {
            throw PackagingError(.limitExceeded, "\(table.subject) has \(count) pieces of cells")
        }
        var pieces: [CellPiece] = []
        for _ in 0..<count {
            let object = Int(try reader.uint16())
            let cell = Int(try reader.byte())
            try reader.skip(1)
            let first = Int64(try reader.uint32())
            let last = Int64(try reader.uint32())
            guard first <= last else { throw PackagingError(.malformed, "\(table.subject) has a cell that ends early") }
            pieces.append(CellPiece(object: object, cell: cell, sectors: first..<last + 1))
        }
        return pieces.sorted { $0.sectors.lowerBound < $1.sectors.lowerBound }
    }

    private static func units(_ table: ByteReader) throws(PackagingError) -> [Int64] {
        var reader = table
        let count = max(0, Int(try reader.uint32()) - 3) / 4
        guard count * 4 <= reader.remaining else {
            throw PackagingError(.truncated, "\(table.subject) ends within its map of units")
        }
        var units: [Int64] = []
        units.reserveCapacity(count)
        for _ in 0..<count { units.append(Int64(try reader.uint32())) }
        return units.sorted()
    }

    /// A program chain of the set.
    ///
    /// - Parameter number: from 1 on.
    package func chain(_ number: Int) throws(PackagingError) -> ProgramChain {
        let subject = "program chain \(number)"
        var table = ByteReader(bytes, subject: subject)
        try table.skip(chains)
        var entry = table
        let count = Int(try entry.uint16())
        guard chains > 0, (1...max(1, count)).contains(number) else {
            throw PackagingError(.malformed, "\(subject) does not exist: the set has \(count)")
        }
        try entry.skip(6 + 8 * (number - 1) + 4)
        try table.skip(Int(try entry.uint32()))
        return try ProgramChain(table)
    }
}
