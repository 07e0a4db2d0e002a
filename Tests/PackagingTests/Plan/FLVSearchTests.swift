// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Keyframes of an FLV file without a list of them", .timeLimit(.minutes(10)))
struct FLVSearchTests {
    /// The bytes of a file, tag by tag.
    private struct File {
        /// In the data of a frame, two tags seem to follow each other. Only the PreviousTagSize between them is wrong.
        private static let decoy = hex("09 000006 000000 00 000000 1701 00000000 00000012 08 000000 000000 00 000000")

        var bytes = hex("464c5601 05 00000009 00000000")
        var keyframes: [FLVSearch.Keyframe] = []
        private let first: UInt32

        /// - Parameter first: the timestamp of time 0.
        init(from first: UInt32 = 0) {
            self.first = first
            // Metadata and sequence headers have the timestamp 0.
            tag(18, 0, hex("02 000a 6f6e4d65746144617461 08 00000000 000009"))
            tag(9, 0, hex("17 00 000000 01640020"))
            tag(8, 0, hex("af 00 1210"))
        }

        mutating func tag(_ kind: UInt8, _ timestamp: UInt32, _ data: [UInt8]) {
            let size = [16, 8, 0].map { UInt8(data.count >> $0 & 255) }
            let time = [16, 8, 0, 24].map { UInt8(timestamp >> $0 & 255) }
            bytes += [kind] + size + time + [0, 0, 0] + data
            bytes += [24, 16, 8, 0].map { UInt8((data.count + 11) >> $0 & 255) }
        }

        /// Video every 40 ms and audio every 20 ms. A sequence header follows each keyframe.
        ///
        /// - Parameters:
        ///   - times: relative to the first timestamp, in milliseconds.
        ///   - distance: between keyframes, in milliseconds; `nil` for no keyframes.
        ///   - size: the length of a frame in bytes.
        mutating func add(_ times: Range<Int64>, distance: Int64?, size: Int = 2000) {
            let half = [UInt8](repeating: 0x1F, count: size / 2)
            for time in stride(from: times.lowerBound, to: times.upperBound, by: 20) {
                let stamp = first &+ UInt32(truncatingIfNeeded: time)
                if time % 40 == 0 {
                    let isKey = distance.map { time % $0 == 0 } ?? false
                    if isKey { keyframes.append(.init(time: Int64(first) + time, position: Int64(bytes.count))) }
                    tag(9, stamp, [isKey ? 0x17 : 0x27, 1, 0, 0, 40] + half + Self.decoy + half)
                    if isKey { tag(9, stamp, hex("17 00 000000 01640020")) }
                }
                tag(8, stamp, [0xAF, 1] + [UInt8](repeating: 0x21, count: 200))
            }
        }

        func wanted(_ time: Int64) -> FLVSearch.Keyframe? { keyframes.last { $0.time <= time } }
    }

    private static func find(
        _ file: File,
        _ time: Int64,
        _ search: inout FLVSearch
    ) -> (found: FLVSearch.Keyframe?, byteCount: Int) {
        var byteCount = 0
        let found = search.keyframe(atOrBefore: time) { offset, count in
            #expect(offset >= 0 && count > 0 && offset + Int64(count) <= Int64(file.bytes.count))
            byteCount += count
            return Array(file.bytes[Int(offset)...].prefix(count))
        }
        return (found, byteCount)
    }

    private static func search(_ file: File) -> FLVSearch { FLVSearch(byteCount: Int64(file.bytes.count)) }

    private static func found(_ file: File, _ time: Int64) -> FLVSearch.Keyframe? {
        var search = search(file)
        return find(file, time, &search).found
    }

    @Test(
        "the last keyframe at or before any time is found",
        arguments: [40, 1000, 20_000],
        [0, 7000, 1 << 24 - 20_000, 1 << 31 - 20_000]
    )
    func any(distance: Int64, first: UInt32) {
        var file = File(from: first)
        file.add(0..<60_000, distance: distance)
        var search = Self.search(file)
        let start = Int64(first)
        for time in Array(stride(from: start, to: start + 60_000, by: 3999)) + [start + 59_999, 1 << 50] {
            #expect(Self.find(file, time, &search).found == file.wanted(time), "\(time)")
        }
        #expect(Self.find(file, start - 1, &search).found == nil)
    }

    @Test("timestamps just before the largest one are negative times")
    func negative() {
        var file = File(from: .max - 19_999)
        file.add(0..<40_000, distance: 2000)
        for time in [Int64(-20_000), -1, 0, 15_000] {
            let wanted = file.wanted(time + 1 << 32)
            #expect(wanted != nil && Self.found(file, time)?.position == wanted?.position, "\(time)")
            #expect(Self.found(file, time)?.time == wanted.map { $0.time - 1 << 32 })
        }
    }

    @Test(
        "a search in 64 MB reads less than 2 MB, even for a time beyond the end, and with long groups",
        arguments: [2000, 10_000]
    )
    func fewBytes(distance: Int64) {
        var file = File()
        file.add(0..<140_000, distance: distance, size: 20_000)
        #expect(file.bytes.count > 64 << 20)
        for time in [Int64(64_990), 1000, 119_999, 1 << 40] {
            var search = Self.search(file)
            let (found, byteCount) = Self.find(file, time, &search)
            #expect(found == file.wanted(time), "\(time)")
            #expect(byteCount < 2_000_000, "\(time)")
        }
    }

    @Test("garbage between tags is skipped")
    func garbage() {
        var file = File()
        var generator = SplitMix(state: 7)
        for start in stride(from: Int64(0), to: 60_000, by: 10_000) {
            file.add(start..<start + 10_000, distance: 2000)
            file.bytes += (0..<100_000).map { _ in .random(in: 0...255, using: &generator) }
        }
        var search = Self.search(file)
        for time in stride(from: Int64(0), to: 60_000, by: 4990) {
            #expect(Self.find(file, time, &search).found == file.wanted(time), "\(time)")
        }
    }

    @Test("nine megabytes of garbage in the middle of the file do not hinder a search")
    func muchGarbage() {
        var file = File()
        file.add(0..<30_000, distance: 2000)
        file.bytes += [UInt8](repeating: 0xFF, count: 9 << 20)
        file.add(30_000..<60_000, distance: 2000)
        var search = Self.search(file)
        for time in [Int64(10_500), 29_990, 30_500, 50_000] {
            #expect(Self.find(file, time, &search).found == file.wanted(time), "\(time)")
        }
    }

    @Test("a truncated file is searched to its last whole tag")
    func truncated() {
        var file = File()
        file.add(0..<30_000, distance: 2000)
        for count in [1, 500, 5000] {
            var short = file
            short.bytes.removeLast(count)
            #expect(Self.found(short, 40_000) == file.wanted(40_000), "\(count)")
        }
        for count in [0, 5, 13, 40, 300] {
            var short = file
            short.bytes = Array(file.bytes.prefix(count))
            #expect(Self.found(short, 40_000) == nil, "\(count)")
        }
    }

    @Test("nothing is found without keyframes or in another format")
    func none() {
        var file = File()
        file.add(0..<20_000, distance: nil)
        #expect(Self.found(file, 15_000) == nil)
        file = File()
        file.add(0..<20_000, distance: 1000)
        file.bytes[0] = 0x47
        #expect(Self.found(file, 15_000) == nil)
    }

    @Test(
        "audio that is stored before or after the video of its time is no obstacle",
        arguments: [-5000, -2000, -700, 700, 2000, 5000] as [Int64]
    )
    func apart(lag: Int64) {
        var file = File()
        let frame = [UInt8](repeating: 0x1F, count: 4000)
        for time in stride(from: Int64(0), to: 60_000, by: 40) {
            let isKey = time % 2000 == 0
            if isKey { file.keyframes.append(.init(time: time, position: Int64(file.bytes.count))) }
            file.tag(9, UInt32(time), [isKey ? 0x17 : 0x27, 1, 0, 0, 40] + frame)
            file.tag(8, UInt32(max(0, time - lag)), [0xAF, 1] + [UInt8](repeating: 0x21, count: 200))
        }
        var search = Self.search(file)
        for time in stride(from: Int64(500), to: 60_000, by: 1990) {
            #expect(Self.find(file, time, &search).found == file.wanted(time), "\(time)")
        }
    }

    @Test("one picture in ten minutes of audio is found by reading less than half of the file")
    func onePicture() {
        var file = File()
        file.keyframes.append(.init(time: 0, position: Int64(file.bytes.count)))
        file.tag(9, 0, [0x17, 1, 0, 0, 0] + [UInt8](repeating: 0x1F, count: 4000))
        for time in stride(from: UInt32(0), to: 600_000, by: 20) {
            file.tag(8, time, [0xAF, 1] + [UInt8](repeating: 0x21, count: 400))
        }
        var search = Self.search(file)
        let (found, byteCount) = Self.find(file, 400_000, &search)
        #expect(found == file.keyframes.first)
        #expect(byteCount < file.bytes.count / 2, "of \(file.bytes.count)")
    }

    @Test("the preparation reads the ranges that were announced")
    func preparation() {
        var file = File()
        file.add(0..<60_000, distance: 2000)
        var search = Self.search(file)
        #expect(!search.isPrepared)
        let announced = search.samplingReads
        var reads: [Range<Int64>] = []
        search.prepare { offset, count in
            reads.append(offset..<offset + Int64(count))
            return Array(file.bytes[Int(offset)...].prefix(count))
        }
        #expect(search.isPrepared)
        #expect(announced.count > 10 && Set(announced).isSubset(of: reads))
    }

    @Test("nothing is found if the clock is seen to restart")
    func restart() {
        var file = File()
        file.add(0..<60_000, distance: 2000)
        file.add(0..<60_000, distance: 2000)
        for time in [Int64(1000), 40_000, 100_000] { #expect(Self.found(file, time) == nil, "\(time)") }
        // Between the evenly distributed places, a step backward is noticed only where the search visits it.
        file = File()
        file.add(0..<31_000, distance: 20_000)
        file.add(28_000..<60_000, distance: 20_000)
        #expect(Self.found(file, 31_500) == nil)
        #expect(Self.found(file, 50_000) == file.wanted(50_000))
    }

    @Test("arbitrary bytes do not trap, and the search ends", arguments: 0..<40)
    func arbitrary(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var file = File()
        file.add(0..<20_000, distance: 4000)
        for _ in 0..<60 {
            let place = Int.random(in: 0..<file.bytes.count, using: &generator)
            // Changes mostly headers, because frames are not read.
            let near = file.bytes[place...].firstIndex { $0 != 0x1F && $0 != 0x21 } ?? place
            file.bytes[near] = .random(in: 0...255, using: &generator)
        }
        var search = Self.search(file)
        for time in [Int64(3000), 15_000, 1 << 33] {
            let (found, byteCount) = Self.find(file, time, &search)
            if let found { #expect(found.position < file.bytes.count && found.time <= time) }
            #expect(byteCount < 40 << 20)
        }
    }

    @Test("a failed read is thrown")
    func failure() {
        struct Broken: Error {}
        var file = File()
        file.add(0..<20_000, distance: 4000)
        let bytes = file.bytes
        var search = Self.search(file)
        #expect(throws: Broken.self) {
            try search.keyframe(atOrBefore: 15_000) { (offset, count) throws(Broken) in
                guard offset < 300_000 else { throw Broken() }
                return Array(bytes[Int(offset)...].prefix(count))
            }
        }
    }
}

@Suite("Tags of an FLV file")
struct FLVTagTests {
    private static func tag(_ head: String) -> FLVTag? {
        let bytes = hex(head)
        return FLVTag(bytes.span, at: 100)
    }

    @Test("position, length and time")
    func fields() throws {
        let tag = try #require(Self.tag("08 000102 030405 06 000000 af01"))
        #expect(tag.dataByteCount == 0x102 && tag.timestamp == 0x0603_0405 && tag.size == 0x10D)
        #expect(tag.end == 100 + 11 + 0x102 + 4)
        #expect(!tag.isFrame && !tag.isKey)
    }

    @Test(
        "bytes that are not a tag header are rejected",
        arguments: [
            "0a 000102 030405 06 000000 af01", "48 000102 030405 06 000000 af01", "08 000102 030405 06 000100 af01",
            "08 000102 030405 06 000000 af",
        ]
    )
    func refused(head: String) { #expect(Self.tag(head) == nil) }

    @Test(
        "frames and keyframes",
        arguments: [
            // Sorenson H.263: keyframe, inter frame, disposable frame; a keyframe that a server generated; a command.
            ("1200", true, true), ("2200", true, false), ("3200", true, false), ("4200", true, false),
            ("5200", false, false),
            // H.264: sequence header, frame, end of sequence.
            ("1700", false, false), ("1701", true, true), ("2701", true, false), ("1702", false, false),
            // Enhanced RTMP: sequence start, coded frames with and without composition time, metadata.
            ("9068", false, false), ("9168", true, true), ("9368", true, true), ("a368", true, false),
            ("9468", false, false),
        ]
    )
    func frames(data: String, isFrame: Bool, isKey: Bool) throws {
        let tag = try #require(Self.tag("09 000020 000000 00 000000 \(data)"))
        #expect(tag.isFrame == isFrame && tag.isKey == isKey)
        // Filtered (encrypted) tags are tags too.
        #expect(Self.tag("29 000020 000000 00 000000 \(data)")?.isKey == isKey)
    }

    @Test(
        "frames and audio are media; metadata and sequence headers are not",
        arguments: [
            ("08 000020", "af01", true), ("08 000020", "af00", false), ("08 000020", "2fff", true),
            ("08 000002", "af01", false), ("12 000020", "0200", false), ("09 000020", "1700", false),
            ("09 000020", "2701", true),
        ]
    )
    func media(head: String, data: String, isMedia: Bool) {
        #expect(Self.tag("\(head) 000000 00 000000 \(data)")?.isMedia == isMedia)
    }

    @Test("a tag that has no frame data is not a frame")
    func empty() {
        #expect(Self.tag("09 000000 000000 00 000000 0000")?.isFrame == false)
        #expect(Self.tag("09 000001 000000 00 000000 1200")?.isFrame == false)
        #expect(Self.tag("09 000005 000000 00 000000 1701")?.isFrame == false)
    }
}
