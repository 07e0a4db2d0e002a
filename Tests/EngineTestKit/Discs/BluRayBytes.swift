// SPDX-License-Identifier: Apache-2.0

package import Packaging

/// Writes the files of a Blu-ray disc, byte by byte as a disc has them.
package enum BluRayBytes {
    package struct Item {
        package var clips: [String]
        package var start: UInt32
        package var end: UInt32
        package var connection: UInt16
        /// The streams in the clip.
        package var streams: [(pid: Int, coding: UInt8, language: String)]
        /// The languages of text subtitles, which are in clips of sub-paths.
        package var texts: [String] = []
        /// The code of the charset of text subtitles.
        package var charset: UInt8 = 1
        /// The languages of secondary audio.
        package var secondaryAudio: [String] = []
        /// The PIDs of secondary video in the clip.
        package var secondaryVideo: [Int] = []

        package init(
            clips: [String] = ["00001"],
            start: UInt32 = 0,
            end: UInt32 = 450_000,
            connection: UInt16 = 1,
            streams: [(pid: Int, coding: UInt8, language: String)] = [(0x1011, 0x1B, ""), (0x1100, 0x81, "fra")]
        ) {
            self.clips = clips
            self.start = start
            self.end = end
            self.connection = connection
            self.streams = streams
        }
    }

    /// An item of a sub-path: the part of a clip from `start` to `end`, which begins when `item` of the playlist
    /// reaches `time` on that item's clock.
    package struct SubItem {
        package var clip: String
        package var start: UInt32
        package var end: UInt32
        package var item: Int
        package var time: UInt32

        package init(clip: String, start: UInt32, end: UInt32, item: Int, time: UInt32) {
            self.clip = clip
            self.start = start
            self.end = end
            self.item = item
            self.time = time
        }

        fileprivate var bytes: [UInt8] {
            let times = BluRayBytes.big(start, 4) + BluRayBytes.big(end, 4)
            let place = BluRayBytes.big(item, 2) + BluRayBytes.big(time, 4)
            let body = Array(clip.utf8) + Array("M2TS".utf8) + BluRayBytes.zeros(5) + times + place
            return BluRayBytes.big(body.count, 2) + body
        }
    }

    package static func big(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
        let value = UInt64(truncatingIfNeeded: value)
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    package static func section(_ body: [UInt8]) -> [UInt8] { big(body.count, 4) + body }

    package static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    package static func playlist(
        _ items: [Item],
        marks: [(kind: UInt8, item: Int, time: UInt32)] = [],
        isStereoscopic: Bool = false,
        paths: [(kind: UInt8, items: [SubItem])] = [],
        pathCount: Int? = nil
    ) -> [UInt8] {
        let subPaths = paths.flatMap { path in
            section([0, path.kind, 0, 0, 0, UInt8(path.items.count)] + path.items.flatMap(\.bytes))
        }
        let counts = big(0, 2) + big(items.count, 2) + big(pathCount ?? paths.count, 2)
        let list = section(counts + items.flatMap(item) + subPaths)
        var entries = big(marks.count, 2)
        for mark in marks { entries += zeros(1) + big(mark.kind, 1) + big(mark.item, 2) + big(mark.time, 4) + zeros(6) }
        var bytes = Array("MPLS0200".utf8) + big(40, 4) + big(40 + list.count, 4)
        let rest = list + section(entries)
        bytes += big(isStereoscopic ? 40 + rest.count : 0, 4) + zeros(20) + rest
        // The metadata of picture-in-picture video, and the table of streams for 3D.
        let names = [(1, 1), (2, 1)].flatMap { big($0.0, 2) + big($0.1, 2) + zeros(8) }
        return bytes + (isStereoscopic ? section(zeros(7) + [2] + names) : [])
    }

    private static func item(_ item: Item) -> [UInt8] {
        let hasAngles = item.clips.count > 1
        var body = Array(item.clips[0].utf8) + Array("M2TS".utf8) + big(item.connection | (hasAngles ? 0x10 : 0), 2)
        body += zeros(1) + big(item.start, 4) + big(item.end, 4) + zeros(12)
        if hasAngles {
            body += big(item.clips.count, 1) + zeros(1)
            for clip in item.clips.dropFirst() { body += Array(clip.utf8) + Array("M2TS".utf8) + zeros(1) }
        }
        let kinds: [(UInt8) -> Bool] = [
            { $0 == 0x1B || $0 == 0x24 }, { (0x80...0x86).contains($0) }, { $0 >= 0x90 && $0 < 0xA0 },
        ]
        var counts = kinds.map { isKind in UInt8(item.streams.filter { isKind($0.coding) }.count) }
        counts[2] += UInt8(item.texts.count)
        counts += [0, UInt8(item.secondaryAudio.count), UInt8(item.secondaryVideo.count), 0]
        var table = zeros(2) + counts + zeros(5)
        for stream in kinds.flatMap({ isKind in item.streams.filter { isKind($0.coding) } }) {
            table += [9, 1] + big(stream.pid, 2) + zeros(6)
            let language = Array(stream.language.utf8)
            let isPicture = stream.coding == 0x1B || stream.coding == 0x24
            let attributes = [stream.coding] + (stream.coding < 0x90 ? [0x61] : []) + (isPicture ? [] : language)
            table += [5] + attributes + zeros(5 - attributes.count)
        }
        for (number, language) in item.texts.enumerated() {
            table += [9, 2, UInt8(number), 0] + big(0x1800 + number, 2) + zeros(4)
            table += [5, 0x92, item.charset] + Array(language.utf8)
        }
        for language in item.secondaryAudio {
            // The stream can be combined with one primary stream.
            table += [9, 3, 0] + big(0x1A00, 2) + zeros(5) + [5, 0xA1, 0x31] + Array(language.utf8) + [1, 0, 0, 0]
        }
        for pid in item.secondaryVideo {
            // With one secondary audio stream, and no subtitles.
            table += [9, 1] + big(pid, 2) + zeros(6) + [5, 0x1B, 0x61, 0, 0, 0] + [1, 0, 0, 0] + [0, 0]
        }
        body += big(table.count, 2) + table
        return big(body.count, 2) + body
    }

    /// Clip information that maps one stream.
    ///
    /// - Parameter streams: the PIDs of the streams that it names. `nil`: it has no table of them.
    package static func clip(
        _ entries: [ClipInformation.EntryPoint],
        pid: Int = 0x1011,
        streams: [Int]? = nil
    ) -> [UInt8] {
        var coarse: [UInt8] = []
        var fine: [UInt8] = []
        var last: (Int64, Int64)?
        for (number, entry) in entries.enumerated() {
            let key = (entry.time >> 20, entry.packet >> 17)
            if last.map({ $0 != key }) ?? true {
                coarse += big(Int64(number) << 14 | entry.time >> 19 & 0x3FFF, 4) + big(entry.packet, 4)
                last = key
            }
            fine += big(1 << 28 | (entry.time >> 9 & 0x7FF) << 17 | entry.packet & 0x1FFFF, 4)
        }
        let numbers = Int64(1) << 34 | Int64(coarse.count / 8) << 18 | Int64(entries.count)
        let map = section(
            big(1, 2) + [0, 1] + big(pid, 2) + big(numbers, 6) + big(14, 4) + big(4 + coarse.count, 4) + coarse + fine
        )
        let coding: [UInt8] = [3, 0x81, 0x31, 0]
        let list = (streams ?? []).flatMap { big($0, 2) + coding }
        let program = [0, 1] + zeros(4) + big(0x100, 2) + big(streams?.count ?? 0, 1) + [0] + list
        let start = streams == nil ? 0 : 40 + map.count
        return Array("HDMV0200".utf8) + zeros(4) + big(start, 4) + big(40, 4) + zeros(20) + map
            + (streams == nil ? [] : section(program))
    }

    /// - Parameter titles: the movie object of each title; `nil`: a title in Java.
    package static func index(first: Int?, titles: [Int?]) -> [UInt8] {
        func entry(_ object: Int?) -> [UInt8] {
            big(object == nil ? 2 << 30 : 1 << 30, 4) + zeros(2) + big(object ?? 0, 2) + zeros(4)
        }
        let body = entry(first) + entry(first) + big(titles.count, 2) + titles.flatMap(entry)
        return Array("INDX0200".utf8) + big(40, 4) + zeros(28) + section(body)
    }

    /// - Parameter objects: the instructions of each, with their first operands.
    package static func objects(_ objects: [[(UInt32, UInt32)]]) -> [UInt8] {
        var bodies: [UInt8] = []
        for commands in objects {
            bodies += zeros(2) + big(commands.count, 2)
            for (instruction, operand) in commands { bodies += big(instruction, 4) + big(operand, 4) + zeros(4) }
        }
        return Array("MOBJ0200".utf8) + zeros(32) + section(zeros(4) + big(objects.count, 2) + bodies)
    }

    /// The transport packets of a PES packet in which a picture begins.
    package static func unit(time: Int64, pid: Int = 0x1011, payload: [UInt8]) -> [UInt8] {
        let stamp: [UInt8] = [
            UInt8(0x21 | time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE | 1),
            UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE | 1),
        ]
        var rest = [0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5] + stamp + payload
        var packets: [UInt8] = []
        var isFirst = true
        while !rest.isEmpty {
            let part = Array(rest.prefix(184))
            rest.removeFirst(part.count)
            let stuffing = 184 - part.count
            let control: UInt8 = stuffing > 0 ? 0x30 : 0x10
            packets += zeros(4) + [0x47, UInt8(pid >> 8) | (isFirst ? 0x40 : 0), UInt8(pid & 0xFF), control]
            if stuffing > 0 { packets += [UInt8(stuffing - 1)] + [UInt8](repeating: 0xFF, count: stuffing - 1) }
            packets += part
            isFirst = false
        }
        return packets
    }
}
