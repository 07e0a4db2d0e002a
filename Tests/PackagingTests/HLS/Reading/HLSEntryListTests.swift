// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

/// A live window: entries numbered from a first number on. With `date`, a time of day in seconds, each entry has a date.
struct Window {
    var sequence: Int64
    var names: [String]
    var date: Int64?
    var parts = 0
    var isEnded = false

    init(_ sequence: Int64, _ numbers: ClosedRange<Int>, prefix: String = "s", date: Int64? = nil) {
        self.sequence = sequence
        names = numbers.map { "\(prefix)\($0).ts" }
        self.date = date
    }

    init(empty sequence: Int64) {
        self.sequence = sequence
        names = []
    }

    func with(parts: Int = 0, isEnded: Bool = false) -> Window {
        var window = self
        window.parts = parts
        window.isEnded = isEnded
        return window
    }

    func named(_ names: String...) -> Window {
        var window = self
        window.names = names.map { "\($0).ts" }
        return window
    }

    /// Target duration 4 s.
    func playlist(token: Int = 0) throws -> HLSMediaPlaylist {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
        for (place, name) in names.enumerated() {
            if let date {
                let second = Int(date) + place * 4
                let clock = [second / 3600, second / 60 % 60, second % 60].map { "\($0 < 10 ? "0" : "")\($0)" }
                text += "#EXT-X-PROGRAM-DATE-TIME:2026-11-05T\(clock.joined(separator: ":"))Z\n"
            }
            text += "#EXTINF:4,\n\(name)?token=\(token)\n"
        }
        for part in 0..<parts { text += "#EXT-X-PART:DURATION=1,URI=\"p\(part)\"\n" }
        if isEnded { text += "#EXT-X-ENDLIST\n" }
        guard case .media(let media) = try HLSPlaylist.parse(Array(text.utf8), url: "https://host/\(token)/x.m3u8")
        else {
            throw Script.WrongKind()
        }
        return media
    }
}

@Suite struct HLSEntryListTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var loads: [Window]
        /// The outcome of the last load.
        var outcome: HLSEntryList.Outcome
        /// The names behind all indices, in order.
        var names: [String]
        var discontinuous: [Int64] = []

        init(
            _ name: String,
            _ loads: [Window],
            _ outcome: HLSEntryList.Outcome,
            _ names: [String],
            discontinuous: [Int64] = []
        ) {
            testDescription = name
            self.loads = loads
            self.outcome = outcome
            self.names = names
            self.discontinuous = discontinuous
        }
    }

    static let cases: [Case] = [
        Case("the first load begins at index 0", [Window(100, 0...2)], .added(first: 0), ["s0", "s1", "s2"]),
        Case(
            "a window that moves adds what is new",
            [Window(100, 0...2), Window(102, 2...4)],
            .added(first: 3),
            ["s0", "s1", "s2", "s3", "s4"]
        ),
        Case("the same again", [Window(100, 0...2), Window(100, 0...2)], .unchanged, ["s0", "s1", "s2"]),
        Case(
            "an empty playlist changes nothing",
            [Window(100, 0...1), Window(empty: 102)],
            .unchanged,
            ["s0", "s1"]
        ),
        Case("parts are progress", [Window(1, 0...0), Window(1, 0...0).with(parts: 2)], .partsAdded, ["s0"]),
        Case(
            "back by one is an older version",
            [Window(100, 0...2), Window(99, -1...1)],
            .outdated,
            ["s0", "s1", "s2"]
        ),
        Case(
            "back by one with the same names is ignored however often",
            [Window(100, 0...3)] + Array(repeating: Window(100, 0...2), count: 5),
            .outdated,
            ["s0", "s1", "s2", "s3"]
        ),
        Case(
            "numbers that begin again without overlap are believed the third time",
            [Window(100, 0...1), Window(0, 7...8), Window(0, 7...8), Window(0, 7...9)],
            .restarted(first: 2, .sequenceReset),
            ["s0", "s1", "s7", "s8", "s9"],
            discontinuous: [2]
        ),
        Case(
            "until then they are an older version",
            [Window(100, 0...1), Window(0, 7...8), Window(0, 7...8)],
            .outdated,
            ["s0", "s1"]
        ),
        Case(
            "with a later date they are believed at once",
            [Window(100, 0...1, date: 0), Window(0, 7...8, date: 60)],
            .restarted(first: 2, .sequenceReset),
            ["s0", "s1", "s7", "s8"],
            discontinuous: [2]
        ),
        Case(
            "other media under known numbers is a restart at once",
            [Window(0, 0...2), Window(0, 0...1, prefix: "t")],
            .restarted(first: 3, .sequenceReset),
            ["s0", "s1", "s2", "t0", "t1"],
            discontinuous: [3]
        ),
        Case(
            "the same names with other dates are other media",
            [Window(0, 0...2, date: 0), Window(0, 0...1, date: 600)],
            .restarted(first: 3, .sequenceReset),
            ["s0", "s1", "s2", "s0", "s1"],
            discontinuous: [3]
        ),
        Case(
            "other names with the same dates are the same media on another server",
            [Window(0, 0...2, date: 0), Window(1, 1...3, prefix: "b", date: 4)],
            .added(first: 3),
            ["s0", "s1", "s2", "b3"]
        ),
        Case(
            "a window that moved past unseen entries begins an epoch",
            [Window(100, 0...1), Window(110, 10...11)],
            .restarted(first: 2, .missed(8)),
            ["s0", "s1", "s10", "s11"],
            discontinuous: [2]
        ),
        Case(
            "entries that follow without overlap go on",
            [Window(100, 0...1), Window(102, 2...3)],
            .added(first: 2),
            ["s0", "s1", "s2", "s3"]
        ),
        Case(
            "known entries under other numbers go on, as from another server",
            [Window(100, 0...3), Window(7, 2...5)],
            .added(first: 4),
            ["s0", "s1", "s2", "s3", "s4", "s5"]
        ),
        Case(
            "two servers in turn, with numbers of their own",
            [Window(100, 0...3), Window(7, 2...4), Window(101, 1...5), Window(8, 3...6)],
            .added(first: 6),
            ["s0", "s1", "s2", "s3", "s4", "s5", "s6"]
        ),
        Case(
            "one of them is behind",
            [Window(100, 0...3), Window(7, 0...2)],
            .outdated,
            ["s0", "s1", "s2", "s3"]
        ),
        Case(
            "known names in another order are other media",
            [Window(100, 0...3), Window(200, 0...1).named("s3", "s1")],
            .restarted(first: 4, .missed(96)),
            ["s0", "s1", "s2", "s3", "s3", "s1"],
            discontinuous: [4]
        ),
        Case(
            "after a restart the new numbers count",
            [Window(0, 0...1), Window(0, 0...0, prefix: "t"), Window(0, 0...1, prefix: "t")],
            .added(first: 3),
            ["s0", "s1", "t0", "t1"],
            discontinuous: [2]
        ),
    ]

    @Test("an entry that is never listed as a whole takes the next index, and later entries follow it")
    func closing() throws {
        var list = HLSEntryList()
        list.closeOpenEntry(lasting: .seconds(1))
        #expect(list.entries.isEmpty && list.anchor == nil)
        _ = list.take(try Window(100, 0...1).with(parts: 2).playlist(), now: 0)
        list.closeOpenEntry(lasting: .seconds(2))
        #expect(list.entries.map(\.index) == [0, 1, 2] && list.entries[2].segment.duration == .seconds(2))
        #expect(list.entries[2].segment.url.isEmpty && !list.entries[2].isDiscontinuous)
        var restarted = list
        #expect(
            restarted.take(try Window(0, 0...2, prefix: "t").playlist(), now: 1) == .outdated,
            "numbers without overlap are believed later"
        )
        #expect(
            list.take(try Window(101, 7...9, prefix: "t").playlist(), now: 1) == .restarted(first: 3, .sequenceReset)
        )
        #expect(list.entries.filter(\.isDiscontinuous).map(\.index) == [3])
        #expect(list.entries.map(\.index) == [0, 1, 2, 3, 4, 5])
    }

    @Test("The outcome of a load follows from its numbers, names and dates", arguments: cases)
    func outcome(_ test: Case) throws {
        var list = HLSEntryList()
        var known: [HLSEntryList.Entry] = []
        var last: HLSEntryList.Outcome?
        for (place, load) in test.loads.enumerated() {
            last = list.take(try load.playlist(token: place), now: Int64(place))
            // The known entries do not change.
            #expect(Array(list.entries.prefix(known.count)) == known)
            known = list.entries
        }
        #expect(last == test.outcome)
        #expect(list.entries.map(\.index) == Array(0..<Int64(test.names.count)))
        let names = list.entries.map { URLReference($0.segment.url).path.split(separator: "/").last ?? "" }
        #expect(names.map { $0.dropLast(3) } == test.names.map { $0[...] })
        #expect(list.entries.filter(\.isDiscontinuous).map(\.index) == test.discontinuous)
    }

    @Test("The window is the range of indices that the server listed last")
    func window() throws {
        var list = HLSEntryList()
        _ = list.take(try Window(100, 0...3).playlist(), now: 0)
        _ = list.take(try Window(102, 2...5).playlist(), now: 1)
        #expect(list.window == 2..<6)
        list.forget(before: 3)
        #expect(list[2] == nil)
        #expect(list[3]?.segment.sequence == 103)
        list.forget(before: 100)
        #expect(list.entries.map(\.index) == [5])
    }

    @Test("A list is stalled after 3.5 target durations without anything new, until something comes")
    func stalled() throws {
        let second: Int64 = 1_000_000_000
        var list = HLSEntryList()
        #expect(list.stallTime == nil)
        _ = list.take(try Window(0, 0...1).playlist(), now: 0)
        _ = list.take(try Window(0, 0...1).playlist(), now: 10 * second)
        #expect(!list.isStalled(now: 14 * second - 1))
        #expect(list.isStalled(now: 14 * second))
        _ = list.take(try Window(0, 0...2).playlist(), now: 15 * second)
        #expect(list.stallTime == 29 * second)
        _ = list.take(try Window(0, 0...2).with(parts: 1).playlist(), now: 20 * second)
        #expect(list.stallTime == 34 * second)
        _ = list.take(try Window(0, 0...3).with(isEnded: true).playlist(), now: 21 * second)
        #expect(list.stallTime == nil)
    }

    @Test("Another variant continues with the next index as a new epoch, and its later loads belong to that epoch")
    func joins() throws {
        var list = HLSEntryList()
        _ = list.take(try Window(100, 0...3).playlist(), now: 0)
        list.join(try Window(7, 1...5, prefix: "t").playlist(), at: 10, now: 5)
        #expect(
            list.entries.map { URLReference($0.segment.url).path.split(separator: "/").last } == [
                "s0.ts", "s1.ts", "s2.ts", "s3.ts", "t4.ts", "t5.ts",
            ]
        )
        #expect(list.entries.map(\.index) == Array(0..<6) && list.entries.map(\.epoch) == [0, 0, 0, 0, 1, 1])
        #expect(list.entries.filter(\.isDiscontinuous).map(\.index) == [4])
        #expect(list.current.map(\.index) == [4, 5] && list.window == 1..<6 && list.lastProgress == 5)
        #expect(list.take(try Window(9, 3...6, prefix: "t").playlist(), now: 6) == .added(first: 6))
        #expect(list.window == 3..<7 && list.entries.last?.isDiscontinuous == false)
        #expect(list.take(try Window(8, 2...5, prefix: "t").playlist(), now: 7) == .outdated)
    }

    @Test(
        "After a restart of the process, indices continue",
        arguments: [
            (Window(101, 1...3), .added(first: 1), [1, 2, 3]),
            (Window(102, 2...2), .added(first: 2), [2]),
            (Window(110, 10...11), .restarted(first: 3, .missed(7)), [3, 4]),
            (Window(100, 0...3, prefix: "t"), .restarted(first: 3, .sequenceReset), [3, 4, 5, 6]),
        ] as [(Window, HLSEntryList.Outcome, [Int64])]
    )
    func resumed(_ window: Window, _ outcome: HLSEntryList.Outcome, _ indices: [Int64]) throws {
        var first = HLSEntryList()
        _ = first.take(try Window(100, 0...2).playlist(), now: 0)
        let anchor = try #require(first.anchor)
        var second = try #require(HLSEntryList(resuming: anchor))
        #expect(second.take(try window.playlist(), now: 0) == outcome)
        #expect(second.entries.map(\.index) == indices)
        for entry in second.entries where entry.epoch == 0 && entry.index < 3 {
            #expect(first[entry.index]?.segment == entry.segment)
        }
    }

    @Test(
        "An anchor that no list can have had is not resumed",
        arguments: [
            (-1, 0, 1), (.max, 0, 1), (0, .max, 1), (0, .min, 1), (0, 5, 4), (0, 0, -1), (0, 0, .max),
        ] as [(Int, Int64, Int64)]
    )
    func impossible(_ epoch: Int, _ offset: Int64, _ nextIndex: Int64) throws {
        var list = HLSEntryList()
        _ = list.take(try Window(0, 0...0).playlist(), now: 0)
        var anchor = try #require(list.anchor)
        anchor.epoch = epoch
        anchor.offset = offset
        anchor.nextIndex = nextIndex
        #expect(HLSEntryList(resuming: anchor) == nil)
    }
}

@Suite struct HLSReloadScheduleTests {
    private static let second: Int64 = 1_000_000_000

    private static func playlist(_ tags: String, parts: Int = 0) throws -> HLSMediaPlaylist {
        let text = (0..<parts).map { "#EXT-X-PART:DURATION=1,URI=\"p\($0)\"" }.joined(separator: "\n")
        return try Script.media("#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:7", tags, "#EXTINF:4,", "a", text)
    }

    struct Case {
        var tags = "#EXT-X-VERSION:6"
        var parts = 0
        var hasChanged = true
        var now: Int64 = 1
        /// Seconds after the load began. `nil`: no request.
        var time: Double?
        var query = ""
    }

    @Test(
        "The tags of a playlist determine the next load, counted from the start of the last one",
        arguments: [
            Case(time: 4), Case(hasChanged: false, time: 2), Case(now: 9, time: 9), Case(tags: "#EXT-X-ENDLIST"),
            Case(tags: "#EXT-X-PLAYLIST-TYPE:VOD"), Case(tags: "#EXT-X-PLAYLIST-TYPE:EVENT", time: 4),
            Case(tags: "#EXT-X-PART-INF:PART-TARGET=1", parts: 2, time: 1),
            Case(tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES", time: 1, query: "?_HLS_msn=8"),
            Case(
                tags: "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n#EXT-X-PART-INF:PART-TARGET=1",
                parts: 2,
                time: 1,
                query: "?_HLS_msn=8&_HLS_part=2"
            ),
            Case(tags: "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24", time: 4, query: "?_HLS_skip=YES"),
            Case(
                tags: "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24,CAN-SKIP-DATERANGES=YES",
                time: 4,
                query: "?_HLS_skip=v2"
            ),
            Case(tags: "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24", now: 12, time: 12),
        ]
    )
    func next(_ test: Case) throws {
        var schedule = HLSReloadSchedule()
        let playlist = try Self.playlist(test.tags, parts: test.parts)
        let request = schedule.loaded(
            playlist,
            hasChanged: test.hasChanged,
            began: 0,
            now: test.now * Self.second
        )
        #expect(request?.time == test.time.map { Int64($0 * Double(Self.second)) })
        #expect(request.map { $0.directives.applied(to: "u") } == test.time.map { _ in "u\(test.query)" })
    }

    @Test("A server that answers blocking requests without new media is polled at intervals")
    func emptyAnswers() throws {
        var schedule = HLSReloadSchedule()
        let playlist = try Self.playlist("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES")
        var blocking: [Bool] = []
        for load in 0..<8 {
            let request = schedule.loaded(playlist, hasChanged: load == 0, began: 0, now: 0)
            blocking.append(request?.directives.isBlocking ?? false)
        }
        #expect(blocking == [true, false, true, false, true, false, false, false])
    }

    @Test("A failed load is followed by a plain request, and a failed delta update by no more delta updates")
    func failures() throws {
        var schedule = HLSReloadSchedule()
        let playlist = try Self.playlist("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24")
        let first = schedule.loaded(playlist, hasChanged: true, began: 0, now: 0)
        #expect(first?.directives == HLSDirectives(sequence: 8, skip: .entries))
        #expect(schedule.skippedTooMuch(now: 5) == .init(time: 5, directives: HLSDirectives(sequence: 8)))
        #expect(schedule.failed(began: 0, now: 1) == .init(time: 2 * Self.second, directives: HLSDirectives()))
        #expect(schedule.loaded(playlist, hasChanged: true, began: 0, now: 0)?.directives.skip == nil)
    }

    @Test(
        "Directives replace earlier ones in a query",
        arguments: [
            ("a", "a?_HLS_msn=3&_HLS_part=1"), ("a?b=1&_HLS_msn=2", "a?b=1&_HLS_msn=3&_HLS_part=1"),
            ("a?_HLS_skip=YES#f", "a?_HLS_msn=3&_HLS_part=1"),
        ]
    )
    func query(_ url: String, _ expected: String) {
        let report = HLSRenditionReport(url: "", lastSequence: 3, lastPart: 0)
        #expect(HLSDirectives(after: report).applied(to: url) == expected)
    }
}
