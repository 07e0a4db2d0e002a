// SPDX-License-Identifier: Apache-2.0

/// Writes the information files of a DVD, byte by byte as a disc has them.
package enum DVDBytes {
    package struct Cell {
        package var object: Int
        package var number: Int
        package var sectors: ClosedRange<Int>
        /// The place in a block of angles: 1 first, 2 inner, 3 last; 0: the cell is in no block.
        package var mode: UInt8
        /// Minutes, seconds and frames in BCD; the upper two bits of the frames have the frame rate.
        package var time: [UInt8]
        /// How long the last picture stays, in seconds; 255: forever.
        package var still: UInt8

        package init(
            object: Int = 1,
            number: Int = 1,
            sectors: ClosedRange<Int> = 0...99,
            mode: UInt8 = 0,
            time: [UInt8] = [0x01, 0x23, 0x52],
            still: UInt8 = 0
        ) {
            self.object = object
            self.number = number
            self.sectors = sectors
            self.mode = mode
            self.time = time
            self.still = still
        }
    }

    package struct Chain {
        package var cells: [Cell]
        /// The number of the first cell of each program; cells count from 1.
        package var programs: [UInt8]
        package var audio: [UInt16]
        package var subtitles: [UInt32]
        /// How long the last picture stays, in seconds; 255: forever.
        package var still: UInt8

        package init(
            cells: [Cell],
            programs: [UInt8] = [1],
            audio: [UInt16] = [],
            subtitles: [UInt32] = [],
            still: UInt8 = 0
        ) {
            self.cells = cells
            self.programs = programs
            self.audio = audio
            self.subtitles = subtitles
            self.still = still
        }
    }

    private static func big(_ value: some BinaryInteger, _ count: Int) -> [UInt8] { BluRayBytes.big(value, count) }

    private static func sectors(_ bytes: [UInt8]) -> [UInt8] {
        bytes + BluRayBytes.zeros((2048 - bytes.count % 2048) % 2048)
    }

    /// - Parameter titles: for each title, its title set, its number in that set, and the number of its angles.
    package static func manager(_ titles: [(set: Int, number: Int, angles: Int)]) -> [UInt8] {
        var head = sectors(Array("DVDVIDEO-VMG".utf8))
        head.replaceSubrange(0xC4..<0xC8, with: big(1, 4))
        var entries: [UInt8] = []
        for title in titles {
            entries += big(0, 1) + big(title.angles, 1) + big(1, 2) + big(0, 2)
            entries += big(title.set, 1) + big(title.number, 1) + big(0, 4)
        }
        return head + sectors(big(titles.count, 2) + big(0, 2) + big(7 + entries.count, 4) + entries)
    }

    /// - Parameters:
    ///   - titles: for each title, the program chain and the program of each chapter.
    ///   - pieces: video object, cell, first and last sector.
    package static func set(
        _ titles: [[(chain: Int, program: Int)]],
        _ chains: [Chain],
        pieces: [(object: Int, cell: Int, sectors: ClosedRange<Int>)],
        units: [Int]
    ) -> [UInt8] {
        var tables: [(place: Int, bytes: [UInt8])] = []
        var starts: [UInt8] = []
        var chapters: [UInt8] = []
        for title in titles {
            starts += big(8 + 4 * titles.count + chapters.count, 4)
            for chapter in title { chapters += big(chapter.chain, 2) + big(chapter.program, 2) }
        }
        let end = 7 + starts.count + chapters.count
        tables.append((0xC8, big(titles.count, 2) + big(0, 2) + big(end, 4) + starts + chapters))
        var entries: [UInt8] = []
        var bodies: [UInt8] = []
        for chain in chains {
            entries += big(0x8100_0000, 4) + big(8 + 8 * chains.count + bodies.count, 4)
            bodies += self.chain(chain)
        }
        tables.append(
            (0xCC, big(chains.count, 2) + big(0, 2) + big(7 + entries.count + bodies.count, 4) + entries + bodies)
        )
        var cells: [UInt8] = []
        for piece in pieces {
            cells += big(piece.object, 2) + big(piece.cell, 1) + big(0, 1)
            cells += big(piece.sectors.lowerBound, 4) + big(piece.sectors.upperBound, 4)
        }
        tables.append((0xE0, big(1, 2) + big(0, 2) + big(7 + cells.count, 4) + cells))
        tables.append((0xE4, big(3 + 4 * units.count, 4) + units.flatMap { big($0, 4) }))
        var head = sectors(Array("DVDVIDEO-VTS".utf8))
        // PAL, 720 wide; AC-3 in English, LPCM in German, DTS without a language; subtitles in French.
        head.replaceSubrange(0x200..<0x202, with: [0x50, 0])
        head[0x203] = 3
        head.replaceSubrange(0x204..<0x208, with: [0x04, 0] + Array("en".utf8))
        head.replaceSubrange(0x20C..<0x210, with: [0x84, 0] + Array("de".utf8))
        head.replaceSubrange(0x214..<0x218, with: [0xC0, 0] + Array("xx".utf8))
        head[0x255] = 1
        head.replaceSubrange(0x256..<0x25A, with: [1, 0] + Array("fr".utf8))
        var rest: [UInt8] = []
        for table in tables {
            head.replaceSubrange(table.place..<table.place + 4, with: big(1 + rest.count / 2048, 4))
            rest += sectors(table.bytes)
        }
        return head + rest
    }

    private static func chain(_ chain: Chain) -> [UInt8] {
        var bytes = big(0, 2) + big(chain.programs.count, 1) + big(chain.cells.count, 1) + BluRayBytes.zeros(8)
        for place in 0..<8 { bytes += big(chain.audio.indices.contains(place) ? chain.audio[place] : 0, 2) }
        for place in 0..<32 { bytes += big(chain.subtitles.indices.contains(place) ? chain.subtitles[place] : 0, 4) }
        bytes += BluRayBytes.zeros(7) + [chain.still]
        for place in 0..<16 { bytes += [0, UInt8(place), 0x80, 0x7F] }
        let map = 236
        let playback = map + chain.programs.count
        bytes += big(0, 2) + big(map, 2) + big(playback, 2) + big(playback + 24 * chain.cells.count, 2) + chain.programs
        for cell in chain.cells {
            bytes += [cell.mode == 0 ? 0 : cell.mode << 6 | 0x10, 0, cell.still, 0, 0] + cell.time
            bytes += big(cell.sectors.lowerBound, 4) + big(0, 4) + big(cell.sectors.upperBound, 4)
            bytes += big(cell.sectors.upperBound, 4)
        }
        for cell in chain.cells { bytes += big(cell.object, 2) + [0] + big(cell.number, 1) }
        return bytes
    }

    /// A navigation pack, followed by a pack of video.
    package static func unit(start: Int, end: Int, time: Int, payload: [UInt8]) -> [UInt8] {
        let pack: [UInt8] = [0, 0, 1, 0xBA, 0x44] + BluRayBytes.zeros(8) + [0xF8]
        var navigation = pack + [0, 0, 1, 0xBB, 0, 18] + BluRayBytes.zeros(18)
        navigation += [0, 0, 1, 0xBF, 3, 0xD4, 0] as [UInt8]
        navigation += BluRayBytes.zeros(12) + big(start, 4) + big(end, 4)
        let stamp: [UInt8] = [
            UInt8(0x21 | time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE | 1),
            UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE | 1),
        ]
        let header: [UInt8] = [0, 0, 1, 0xE0, 7, 0xEC, 0x81, 0x80, 5]
        return sectors(navigation) + sectors(pack + header + stamp + payload)
    }

    /// A pack of audio.
    ///
    /// - Parameters:
    ///   - stream: its number in program streams.
    ///   - time: its presentation time. `nil` if it has none.
    package static func audio(_ stream: Int, at time: Int64?) -> [UInt8] {
        let isPrivate = stream < 0x100
        let pack: [UInt8] = [0, 0, 1, 0xBA, 0x44] + BluRayBytes.zeros(8) + [0xF8]
        let header: [UInt8] = [0, 0, 1, isPrivate ? 0xBD : UInt8(stream & 0xFF), 7, 0xEC, 0x81]
        let stamp: [UInt8] =
            time.map { time in
                [
                    0x80, 5, UInt8(0x21 | time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE | 1),
                    UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE | 1),
                ]
            } ?? [0, 0]
        return sectors(pack + header + stamp + (isPrivate ? [UInt8(stream), 1, 0, 1] : []))
    }

    /// Adds search information (DSI) to a unit: the distances to the packs of its audio, by the numbers of the streams.
    package static func state(audio: [Int], inUnitAt place: Int, of bytes: inout [UInt8]) {
        bytes.replaceSubrange(place + 1024..<place + 1031, with: [0, 0, 1, 0xBF, 3, 0xFA, 1])
        let distances = audio.flatMap { big($0, 2) }
        bytes.replaceSubrange(place + 1433..<place + 1433 + distances.count, with: distances)
    }

    /// Adds search information (DSI) to a unit: how many sectors before it the last unit with video begins.
    package static func state(previousVideo sectors: Int, inUnitAt place: Int, of bytes: inout [UInt8]) {
        bytes.replaceSubrange(place + 1024..<place + 1031, with: [0, 0, 1, 0xBF, 3, 0xFA, 1])
        bytes.replaceSubrange(place + 1429..<place + 1433, with: big(1 << 31 | sectors, 4))
    }
}
