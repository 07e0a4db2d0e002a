// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Text tracks in fragmented MP4")
struct FragmentedTextTests {
    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = Array(content.joined())
        return number(8 + content.count) + Array(type.utf8) + content
    }

    private static func initSegment(_ entry: String, timescale: Int = 1000, isLong: Bool = false) -> [UInt8] {
        let zeros = { [UInt8](repeating: 0, count: $0) }
        let version = number(isLong ? 1 << 24 : 0)
        let times = zeros(isLong ? 16 : 8)
        let table = box("stbl", box("stsd", number(0) + number(1), box(entry, zeros(8))))
        let track = box(
            "trak",
            box("tkhd", version, times, number(7), zeros(60)),
            box("mdia", box("mdhd", version, times, number(timescale), zeros(8)), box("minf", table))
        )
        let defaults = box("trex", number(0), number(7), number(1), number(500), number(3), number(0))
        return box("ftyp", Array("iso6".utf8)) + box("moov", box("mvhd", zeros(100)), track, box("mvex", defaults))
    }

    /// A fragment whose samples follow each other in `mdat`.
    private static func segment(
        at time: Int,
        _ samples: [(duration: Int, bytes: [UInt8])],
        track: Int = 7,
        isLong: Bool = true
    ) -> [UInt8] {
        func moof(_ offset: Int) -> [UInt8] {
            let rows = samples.flatMap { number($0.duration) + number($0.bytes.count) }
            return box(
                "moof",
                box("mfhd", number(0), number(1)),
                box(
                    "traf",
                    box("tfhd", number(0x02_0000), number(track)),
                    isLong
                        ? box("tfdt", number(1 << 24), number(0), number(time)) : box("tfdt", number(0), number(time)),
                    box("trun", number(0x301), number(samples.count), number(offset), rows)
                )
            )
        }
        let length = moof(0).count
        return box("styp", Array("msdh".utf8)) + moof(length + 8) + box("mdat", Array(samples.map(\.bytes).joined()))
    }

    @Test("Samples have the times and the bytes of their fragments", arguments: [true, false])
    func samples(isLong: Bool) throws {
        let bytes =
            Self.initSegment("stpp", isLong: isLong)
            + Self.segment(at: 90_000, [(1000, [1, 2]), (2500, [3])], isLong: isLong)
            + Self.segment(at: 93_500, [(500, [])], isLong: isLong)
        let found = try #require(FragmentedText(bytes))
        #expect(found.form == .ttml)
        #expect(found.samples.map { [$0.start.seconds, $0.end.seconds] } == [[90, 91], [91, 93.5], [93.5, 94]])
        #expect(found.samples.map(\.bytes) == [[1, 2], [3], []])
    }

    @Test("Values that a fragment omits are the defaults of its track")
    func defaults() throws {
        let run = Self.box("trun", Self.number(1), Self.number(2), Self.number(0))
        let moof = Self.box("moof", Self.box("traf", Self.box("tfhd", Self.number(0x02_0000), Self.number(7)), run))
        let found = try #require(FragmentedText(Self.initSegment("wvtt") + moof + [9, 9]))
        #expect(found.form == .webVTT && found.samples.map { $0.end.seconds } == [0.5, 1])
        #expect(found.samples.map(\.bytes.count) == [3, 3])
    }

    @Test("All samples together are no larger than the file, even if a second run lies at the place of the first")
    func overlap() throws {
        let start = Self.initSegment("stpp")
        // Its only sample begins where the file does.
        let run = Self.box("trun", Self.number(1), Self.number(1), Self.number(-start.count))
        func file(_ size: Int) -> [UInt8] {
            let head = Self.box("tfhd", Self.number(0x02_0010), Self.number(7), Self.number(size))
            return start + Self.box("moof", Self.box("traf", head, run, run))
        }
        let count = file(0).count
        #expect(FragmentedText(file(count))?.samples.map(\.bytes.count) == [count])
        #expect(FragmentedText(file(count / 2))?.samples.map(\.bytes.count) == [count / 2, count / 2])
    }

    @Test("Other tracks, other files, and parts of a file give fewer samples or none, never a crash")
    func damaged() throws {
        #expect(FragmentedText(Array("WEBVTT\n\n".utf8)) == nil && FragmentedText([]) == nil)
        #expect(FragmentedText(Self.initSegment("avc1")) == nil)
        let start = Self.initSegment("stpp")
        #expect(FragmentedText(start)?.samples.isEmpty == true)
        #expect(FragmentedText(start + Self.segment(at: 0, [(1, [1])], track: 8))?.samples.isEmpty == true)
        let whole = start + Self.segment(at: 0, [(1000, [1, 2, 3]), (1000, [4])])
        for count in 0..<whole.count { _ = FragmentedText(Array(whole.prefix(count)))?.webVTT }
        for index in whole.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                _ = FragmentedText(bytes)?.webVTT
            }
        }
    }

    @Test("Cues of WebVTT become a file; a cue that is repeated in the next sample becomes one cue")
    func webVTT() throws {
        func cue(_ text: String, _ settings: String = "") -> [UInt8] {
            Self.box(
                "vttc",
                settings.isEmpty ? [] : Self.box("sttg", Array(settings.utf8)),
                Self.box("payl", Array(text.utf8))
            )
        }
        let samples: [(Int, [UInt8])] = [
            (1000, cue("a", "line:0") + cue("b\n\nc")), (1000, cue("b\n\nc")), (500, Self.box("vtte")),
            (1000, cue("b\n\nc")),
        ]
        let found = try #require(FragmentedText(Self.initSegment("wvtt") + Self.segment(at: 3_600_000, samples)))
        #expect(
            String(decoding: found.webVTT, as: UTF8.self) == """
                WEBVTT

                01:00:00.000 --> 01:00:01.000 line:0
                a

                01:00:00.000 --> 01:00:02.000
                b
                c

                01:00:02.500 --> 01:00:03.500
                b
                c


                """
        )
    }

    @Test("A document's cues are those that its sample shows; their times may count from the start of the sample")
    func shown() {
        func cue(_ start: Double, _ end: Double) -> Cue {
            Cue(
                track: 0,
                start: .seconds(start),
                end: .seconds(end),
                content: .text(CueText(plain: "a", runs: [TextRun(text: "a")]))
            )
        }
        let sample = FragmentedText.Sample(start: .seconds(10), end: .seconds(20), bytes: [])
        let cues = [cue(8, 12), cue(19, 25), cue(20, 21), cue(2, 9)]
        #expect(TTMLText.shown(cues, in: sample) == Array(cues[0...1]))
        // Times that count from the start of the sample.
        #expect(TTMLText.shown([cue(0, 3), cue(9, 10)], in: sample).map(\.start.seconds) == [10, 19])
        #expect(TTMLText.shown([cue(0, 3), cue(30, 31)], in: sample).isEmpty)
        #expect(TTMLText.shown([], in: sample).isEmpty)
    }
}
