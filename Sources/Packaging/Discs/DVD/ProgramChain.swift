// SPDX-License-Identifier: Apache-2.0

/// The content of a title of a DVD, or of one part of a title: cells in order.
package struct ProgramChain: Hashable, Sendable {
    package struct Cell: Hashable, Sendable {
        /// The angle that it belongs to, counted from 1; `nil` if it belongs to all.
        package let angle: Int?
        /// Its duration according to the disc, in ticks of 90 kHz, without its still.
        package let duration: Int64
        /// The time for which its last picture stays on the screen.
        package var still: Still
        package let sectors: Range<Int64>
        /// The first sector of its last unit (VOBU).
        package let lastUnit: Int64
        /// The video object (VOB) that contains it, and its number there.
        package let object: Int
        package let number: Int
    }

    /// The time for which the last picture of a cell or program chain stays on the screen.
    package struct Still: Hashable, Sendable {
        /// The limit, in seconds, for pictures that would stay until the viewer continues. Clients have no command to
        /// continue.
        package static let longest = 10

        package let seconds: Int
        /// Whether the disc keeps the picture until the viewer continues.
        package let isEndless: Bool

        /// - Parameter code: a number of seconds, or 255 for a still without an end.
        init(_ code: UInt8) {
            isEndless = code == 255
            seconds = isEndless ? Self.longest : Int(code)
        }

        private init(seconds: Int, isEndless: Bool) {
            self.seconds = seconds
            self.isEndless = isEndless
        }

        /// In ticks of 90 kHz.
        package var duration: Int64 { Int64(seconds) * 90_000 }

        static func + (left: Still, right: Still) -> Still {
            // Nothing follows a still without an end.
            left.isEndless
                ? left : Still(seconds: left.seconds + right.seconds, isEndless: right.isEndless)
        }
    }

    /// The stream numbers of a subtitle stream: one for each aspect ratio of the video.
    package struct Subtitle: Hashable, Sendable {
        /// For video of 4:3.
        package let narrow: Int
        /// For video of 16:9 on a wide screen.
        package let wide: Int
    }

    package let cells: [Cell]
    /// For each program, the index in `cells` of its first cell.
    package let programs: [Int]
    /// For each audio stream of the title set, its number in the chain's video objects; `nil` if the stream is not in
    /// them.
    package let audio: [Int?]
    /// The same for each subtitle stream of the title set.
    package let subtitles: [Subtitle?]
    /// Y, Cr and Cb of 16 colours.
    package let palette: [[UInt8]]

    private static let cellByteCount = 24

    /// - Parameter table: the bytes from the start of the chain.
    init(_ table: ByteReader) throws(PackagingError) {
        var reader = table
        try reader.skip(2)
        let programCount = Int(try reader.byte())
        let cellCount = Int(try reader.byte())
        try reader.skip(8)
        var audio: [Int?] = []
        for _ in 0..<8 {
            let control = try reader.uint16()
            audio.append(control & 0x8000 != 0 ? Int(control >> 8 & 7) : nil)
        }
        self.audio = audio
        var subtitles: [Subtitle?] = []
        for _ in 0..<32 {
            let control = try reader.uint32()
            let subtitle = Subtitle(narrow: Int(control >> 24 & 0x1F), wide: Int(control >> 16 & 0x1F))
            subtitles.append(control & 0x8000_0000 != 0 ? subtitle : nil)
        }
        self.subtitles = subtitles
        try reader.skip(7)
        let still = Still(try reader.byte())
        var palette: [[UInt8]] = []
        for _ in 0..<16 {
            try reader.skip(1)
            palette.append(try reader.take(3))
        }
        self.palette = palette
        try reader.skip(2)
        let places = [Int(try reader.uint16()), Int(try reader.uint16()), Int(try reader.uint16())]
        var programs: [Int] = []
        if programCount > 0, places[0] > 0 {
            var map = table
            try map.skip(places[0])
            for entry in try map.take(programCount) { programs.append(max(0, Int(entry) - 1)) }
        }
        self.programs = programs
        var cells = try cellCount == 0 ? [] : Self.cells(table, cellCount, playback: places[1], positions: places[2])
        // The chain's own still follows the still of its last cell, in every angle.
        for place in cells.indices where Self.isLast(place, cells) {
            cells[place].still = cells[place].still + still
        }
        self.cells = cells
    }

    /// Whether a cell is the last one that is played: the cells after it may only be those of other angles.
    private static func isLast(_ place: Int, _ cells: [Cell]) -> Bool {
        cells[(place + 1)...].allSatisfy { ($0.angle ?? 1) > 1 }
    }

    private static func cells(
        _ table: ByteReader,
        _ count: Int,
        playback: Int,
        positions: Int
    ) throws(PackagingError) -> [Cell] {
        var reader = table
        try reader.skip(playback)
        var place = table
        try place.skip(positions)
        var cells: [Cell] = []
        var angle = 0
        for _ in 0..<count {
            let bytes = try reader.take(cellByteCount)
            // 1, 2 and 3: the first, an inner and the last cell of a block of angles.
            let mode = bytes[0] >> 6
            let isAngle = bytes[0] >> 4 & 3 == 1 && mode != 0
            angle = isAngle ? (mode == 1 ? 1 : angle + 1) : 0
            func number(at place: Int) -> Int64 { (0..<4).reduce(0) { $0 << 8 | Int64(bytes[place + $1]) } }
            guard number(at: 8) <= number(at: 20) else {
                throw PackagingError(.malformed, "\(table.subject) has a cell that ends before it begins")
            }
            let object = Int(try place.uint16())
            try place.skip(1)
            cells.append(
                Cell(
                    angle: isAngle ? angle : nil,
                    duration: duration(bytes[4..<8]),
                    still: Still(bytes[2]),
                    sectors: number(at: 8)..<number(at: 20) + 1,
                    lastUnit: number(at: 16),
                    object: object,
                    number: Int(try place.byte())
                )
            )
        }
        return cells
    }

    /// Reads hours, minutes, seconds and frames, each as two decimal digits of four bits. A frame lasts 1/25 or
    /// 1001/30000 s.
    private static func duration(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let digits = bytes.map { Int64($0 >> 4) * 10 + Int64($0 & 0x0F) }
        let frames = bytes[bytes.startIndex + 3]
        let count = Int64(frames >> 4 & 3) * 10 + Int64(frames & 0x0F)
        let seconds = digits[0] * 3600 + digits[1] * 60 + digits[2]
        return seconds * 90_000 + count * (frames >> 6 == 1 ? 3600 : 3003)
    }

    /// The cells that one angle plays.
    ///
    /// - Parameter angle: from 1 on. A block with fewer angles plays its first one.
    /// - Returns: their indices in `cells`.
    package func places(angle: Int) -> [Int] {
        var found: [Int] = []
        var block: [Int] = []
        func close() {
            if let place = block.first(where: { cells[$0].angle == angle }) ?? block.first { found.append(place) }
            block = []
        }
        for (place, cell) in cells.enumerated() {
            if cell.angle == nil || cell.angle == 1 { close() }
            if cell.angle == nil { found.append(place) } else { block.append(place) }
        }
        close()
        return found
    }
}
