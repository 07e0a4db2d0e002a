// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing
import Validation

@Suite("Checking segments")
struct SegmentValidationTests {
    private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        number(UInt32(payload.count + 8)) + Array(type.utf8) + payload
    }

    private func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    private func words(_ values: UInt32...) -> [UInt8] { values.flatMap(number) }

    private var initSegment: [UInt8] { initSegment(presentingFrom: 0) }

    private func initSegment(presentingFrom start: UInt32) -> [UInt8] {
        let entry = box("avc1", [UInt8](repeating: 0, count: 78))
        let stbl = box("stbl", box("stsd", words(0, 1) + entry))
        let hdlr = box("hdlr", words(0, 0) + Array("vide".utf8) + [UInt8](repeating: 0, count: 13))
        let mdhd = box("mdhd", words(0, 0, 0, 1000, 0, 0))
        let tkhd = box("tkhd", words(7, 0, 0, 1) + [UInt8](repeating: 0, count: 68))
        let edits = start == 0 ? [] : box("edts", box("elst", words(0, 1, 0, start, 0x1_0000)))
        let trak = box("trak", tkhd + edits + box("mdia", mdhd + hdlr + box("minf", stbl)))
        let mvex = box("mvex", box("trex", words(0, 1, 1, 0, 0, 0)))
        let mvhd = box("mvhd", [UInt8](repeating: 0, count: 100))
        return box("ftyp", Array("iso6".utf8) + words(0)) + box("moov", mvhd + trak + mvex)
    }

    /// Two samples of three bytes, half a second each.
    ///
    /// - Parameter offsets: composition offsets, in milliseconds.
    private func segment(
        sequence: UInt32 = 1,
        time: UInt32 = 0,
        sizes: [UInt32] = [3, 3],
        flags: UInt32 = 0x0200_0000,
        offsets: [UInt32] = [],
        data: Int = 6,
        length: UInt32 = 500
    ) -> [UInt8] {
        let samples = sizes.indices.flatMap { index in
            words(length, sizes[index], flags) + (offsets.isEmpty ? [] : words(offsets[index]))
        }
        func moof(_ offset: UInt32) -> [UInt8] {
            let trun = box("trun", words(offsets.isEmpty ? 0x701 : 0xF01, UInt32(sizes.count), offset) + samples)
            let traf = box("tfhd", words(0x20000, 1)) + box("tfdt", words(0x0100_0000, 0, time)) + trun
            return box("moof", box("mfhd", words(0, sequence)) + box("traf", traf))
        }
        return moof(UInt32(moof(0).count + 8)) + box("mdat", [UInt8](repeating: 9, count: data))
    }

    private func problems(_ segment: [UInt8]) -> [String] {
        let (facts, _) = InitFacts.read(initSegment, subject: "i")
        return FragmentFacts.read(segment, initFacts: facts, subject: "s").problems.map(\.message)
    }

    @Test("A valid init segment describes its track")
    func initFacts() {
        let (facts, problems) = InitFacts.read(initSegment, subject: "i")
        #expect(problems.isEmpty, "\(problems)")
        #expect(facts.tracks.map(\.format) == ["avc1"])
        #expect(facts.tracks.map(\.timescale) == [1000])
        #expect(facts.tracks.map(\.handler) == ["vide"])
    }

    @Test("A valid segment has no problems; each fault is named")
    func segments() {
        #expect(problems(segment()).isEmpty)
        #expect(problems(segment(data: 7)).contains { $0.contains("the mdat 7") })
        #expect(problems(segment(sizes: [3, 4])).contains { $0.contains("outside the mdat") })
        #expect(problems(segment(sizes: [], data: 0)).isEmpty, "a track may pause for a segment")
        #expect(problems(segment() + segment()).contains { $0.contains("follows 1") })
        #expect(problems(segment() + segment(sequence: 2, time: 900)).contains { $0.contains("tfdt") })
        #expect(problems(segment() + segment(sequence: 2, time: 1000)).isEmpty)
        #expect(problems(Array(segment().dropLast())).contains { $0.contains("mdat box") })
        #expect(problems([]).contains { $0.contains("no moof") })
    }

    @Test("Reading samples without bytes is bounded")
    func emptyRuns() {
        let run = box("trun", words(0, 600_000))
        let traf = box("traf", box("tfhd", words(0x20000, 1)) + box("tfdt", words(0x0100_0000, 0, 0)) + run + run)
        let moof = box("moof", box("mfhd", words(0, 1)) + traf)
        #expect(problems(moof + box("mdat", [])).contains { $0.contains("400000 more are allowed") })
    }

    @Test("Segments must follow each other as the playlist announces")
    func timeline() {
        func check(
            _ second: [UInt8],
            duration: String = "1.0",
            _ precision: TimelineCheck.Precision = .exact
        ) -> [String] {
            let (facts, _) = InitFacts.read(initSegment, subject: "i")
            let text = "#EXTM3U\n#EXT-X-MAP:URI=\"i\"\n#EXTINF:1.0,\na\n#EXTINF:\(duration),\nb\n"
            let playlist = PlaylistParser.parse(Array(text.utf8), uri: "p")
            var check = TimelineCheck(playlist: "p", targetDuration: 3, precision: precision)
            for (entry, bytes) in zip(playlist.segments, [segment(), second]) {
                let (found, _) = FragmentFacts.read(bytes, initFacts: facts, subject: entry.uri)
                check.add(entry, byteCount: bytes.count, facts: found, initFacts: facts, isIndependent: true)
            }
            return check.problems.map(\.message)
        }
        #expect(check(segment(sequence: 2, time: 1000)).isEmpty)
        #expect(check(segment(sequence: 2, time: 1400)).contains { $0.contains("after the end") })
        #expect(check(segment(sequence: 1, time: 1000)).contains { $0.contains("follows 1") })
        #expect(check(segment(sequence: 2, time: 1000, flags: 0x0101_0000)).contains { $0.contains("sync sample") })
        #expect(check(segment(sequence: 2, time: 1000), duration: "2.0").contains { $0.contains("EXTINF is 2.0") })
        let short = segment(sequence: 2, time: 1000, sizes: Array(repeating: 1, count: 10), data: 10, length: 100)
        for (duration, isExact, isRounded) in [("1.0", true, true), ("0.7", false, true), ("0.4", false, false)] {
            #expect(check(short, duration: duration).isEmpty == isExact, "\(duration)")
            #expect(check(short, duration: duration, .rounded).isEmpty == isRounded, "\(duration)")
        }
    }

    /// The problems that `TimelineCheck` finds in segments with these values of EXTINF.
    private func timelineProblems(_ durations: [String], _ segments: [[UInt8]], _ initSegment: [UInt8]) -> [String] {
        let (facts, _) = InitFacts.read(initSegment, subject: "i")
        let lines = durations.indices.map { "#EXTINF:\(durations[$0]),\n\($0)\n" }.joined()
        let playlist = PlaylistParser.parse(Array("#EXTM3U\n#EXT-X-MAP:URI=\"i\"\n\(lines)".utf8), uri: "p")
        var check = TimelineCheck(playlist: "p", targetDuration: 3)
        for (entry, bytes) in zip(playlist.segments, segments) {
            let (found, _) = FragmentFacts.read(bytes, initFacts: facts, subject: entry.uri)
            check.add(entry, byteCount: bytes.count, facts: found, initFacts: facts, isIndependent: true)
        }
        return check.problems.map(\.message)
    }

    @Test("A segment after one without samples need not continue what was before")
    func gap() {
        func check(_ segments: [[UInt8]]) -> [String] {
            timelineProblems(segments.map { _ in "1.0" }, segments, initSegment)
        }
        let empty = segment(sequence: 2, time: 1000, sizes: [], data: 0)
        #expect(check([segment(), empty, segment(sequence: 3, time: 2000)]).isEmpty)
        #expect(check([segment(), segment(sequence: 2, time: 2000)]).contains { $0.contains("after the end") })
    }

    @Test("In any segment, leading pictures may be presented before the segment's announced start")
    func leadingPictures() {
        func check(_ durations: [String], _ segments: [[UInt8]]) -> [String] {
            timelineProblems(durations, segments, initSegment(presentingFrom: 1000))
        }
        let sizes: [UInt32] = [1, 1, 1, 1]
        // A keyframe presented at 1 s, after two leading pictures, in both segments.
        let first = segment(sizes: sizes, offsets: [2000, 500, 500, 1000], data: 4)
        let second = segment(sequence: 2, time: 2000, sizes: sizes, offsets: [2000, 500, 500, 1000], data: 4)
        #expect(check(["2.5", "1.0"], [first, second]).isEmpty)
        #expect(check(["2.5", "0.2"], [first, second]).contains { $0.contains("the samples last 2.0") })
        // Presentation begins 1 s after the timeline.
        let late = segment(time: 1000, sizes: sizes, offsets: [1000, 1000, 1000, 1000], data: 4)
        #expect(check(["3.0"], [late]).isEmpty)
        #expect(check(["4.5"], [late]).contains { $0.contains("the samples last 2.0") })
    }

    @Test("The peak bit rate is measured over half to one and a half target durations")
    func peak() {
        func peak(_ segments: [(duration: String, byteCount: Int)]) -> Double {
            let lines = segments.map { "#EXTINF:\($0.duration),\na\n" }.joined()
            let playlist = PlaylistParser.parse(Array("#EXTM3U\n\(lines)".utf8), uri: "p")
            var check = TimelineCheck(playlist: "p", targetDuration: 4)
            for (entry, segment) in zip(playlist.segments, segments) {
                check.add(entry, byteCount: segment.byteCount, facts: [], initFacts: InitFacts(), isIndependent: true)
            }
            return check.peakBitRate
        }
        #expect(peak([("4.0", 4000), ("2.0", 3000), ("4.0", 3000)]) == 12_000)
        #expect(peak([("1.0", 4000), ("1.0", 1000)]) == 20_000, "one segment alone is too short")
        #expect(peak([("0.5", 4000)]) == 0)
    }

    @Test("Samples that the edit list hides are not part of the first segment's duration")
    func editList() {
        func check(_ start: UInt32, _ duration: String) -> [String] {
            let (facts, _) = InitFacts.read(initSegment(presentingFrom: start), subject: "i")
            #expect(facts.tracks.map(\.presentationStart) == [Int64(start)])
            let text = "#EXTM3U\n#EXT-X-MAP:URI=\"i\"\n#EXTINF:\(duration),\na\n"
            let playlist = PlaylistParser.parse(Array(text.utf8), uri: "p")
            var check = TimelineCheck(playlist: "p", targetDuration: 3)
            let bytes = segment(sizes: [1, 1, 1, 1, 1, 1])
            let (found, _) = FragmentFacts.read(bytes, initFacts: facts, subject: "a")
            check.add(
                playlist.segments[0],
                byteCount: bytes.count,
                facts: found,
                initFacts: facts,
                isIndependent: true
            )
            return check.problems.map(\.message)
        }
        #expect(check(0, "3.0").isEmpty)
        #expect(check(2000, "1.0").isEmpty, "four of six samples are hidden")
        #expect(check(2000, "3.0").contains { $0.contains("the samples last 1.0") })
        #expect(check(500, "1.0").contains { $0.contains("the samples last 2.5") })
        #expect(check(750, "1.0").contains { $0.contains("the samples last 2.25") }, "half a sample is hidden")
    }

    @Test("A segment is measured from its announced start if only hidden samples precede it")
    func hiddenSegment() {
        let (facts, _) = InitFacts.read(initSegment(presentingFrom: 1000), subject: "i")
        let playlist = PlaylistParser.parse(
            Array("#EXTM3U\n#EXT-X-MAP:URI=\"i\"\n#EXTINF:0.1,\na\n#EXTINF:2.0,\nb\n".utf8),
            uri: "p"
        )
        // The first segment is hidden. Samples begin 1.5 s after the start of the second one.
        let segments = [segment(), segment(sequence: 2, time: 2600)]
        var check = TimelineCheck(playlist: "p", targetDuration: 3)
        for (entry, bytes) in zip(playlist.segments, segments) {
            let (found, _) = FragmentFacts.read(bytes, initFacts: facts, subject: entry.uri)
            check.add(entry, byteCount: bytes.count, facts: found, initFacts: facts, isIndependent: true)
        }
        #expect(!check.problems.contains { $0.message.contains("EXTINF is 2.0") })
    }

    @Test("No truncated or changed byte makes the readers trap")
    func damage() {
        let (facts, _) = InitFacts.read(initSegment, subject: "i")
        let bytes = segment()
        for index in bytes.indices {
            _ = FragmentFacts.read(Array(bytes[..<index]), initFacts: facts, subject: "s")
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                _ = FragmentFacts.read(damaged, initFacts: facts, subject: "s")
            }
        }
        for index in initSegment.indices {
            var damaged = initSegment
            damaged[index] = 0xFF
            _ = InitFacts.read(damaged, subject: "i")
            _ = InitFacts.read(Array(initSegment[..<index]), subject: "i")
        }
    }
}
