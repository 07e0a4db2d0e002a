// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

/// Builds sections of DVB tables.
private enum Sections {
    /// 13 October 1993, 12:45:00 (EN 300 468, §5.2.5), and 1:45:30.
    static let (moment, length): ([UInt8], [UInt8]) = ([0xC0, 0x79, 0x12, 0x45, 0x00], [0x01, 0x45, 0x30])
    static let unixMoment: Int64 = 750_516_300_000_000

    static func short(_ language: String, _ title: [UInt8], _ text: [UInt8] = []) -> [UInt8] {
        var body = Array(language.utf8)
        body += [UInt8(title.count)] + title + [UInt8(text.count)] + text
        return [0x4D, UInt8(body.count)] + body
    }

    static func extended(_ number: UInt8, _ language: String, _ text: String) -> [UInt8] {
        // One item: a description of two bytes, and its text of three.
        let items: [UInt8] = [2, 0x61, 0x62, 3, 0x63, 0x64, 0x65]
        var body: [UInt8] = [number << 4 | 1] + Array(language.utf8)
        body += [UInt8(items.count)] + items + [UInt8(text.utf8.count)] + Array(text.utf8)
        return [0x4E, UInt8(body.count)] + body
    }

    static func event(_ id: UInt8, status: UInt8 = 4, _ descriptors: [UInt8]) -> [UInt8] {
        let flags: [UInt8] = [status << 5 | UInt8(descriptors.count >> 8), UInt8(descriptors.count & 255)]
        return [0, id] + moment + length + flags + descriptors
    }

    static func events(
        table: UInt8 = 0x4E,
        program: Int = 7,
        version: UInt8 = 0,
        number: UInt8,
        last: UInt8 = 1,
        applies: Bool = true,
        _ event: [UInt8]
    ) -> [UInt8] {
        let body: [UInt8] = [
            UInt8(program >> 8), UInt8(program & 255), 0xC0 | version << 1 | (applies ? 1 : 0), number,
        ]
        let rest = body + [last, 0, 1, 0, 1, last, table] + event
        return SectionBytes.checked([table, 0xF0 | UInt8((rest.count + 4) >> 8), UInt8((rest.count + 4) & 255)] + rest)
    }

    /// A time offset section with one region, `offset` hours ahead of UTC, or behind it.
    static func offset(_ offset: UInt8, isBehind: Bool = false) -> [UInt8] {
        let polarity: UInt8 = isBehind ? 3 : 2
        let region: [UInt8] = [0x44, 0x45, 0x55, polarity, offset, 0x30] + moment + [1, 0]
        let loop: [UInt8] = [0xF0, UInt8(region.count + 2), 0x58, UInt8(region.count)]
        let rest = moment + loop + region
        return SectionBytes.checked([0x73, 0x70, UInt8(rest.count + 4)] + rest)
    }
}

extension TableReading {
    /// - Returns: whether a packet has changed the tables.
    @discardableResult
    fileprivate mutating func take(_ section: [UInt8], on stream: Int = 0x12, at position: Int64 = 0) throws -> Bool {
        var hasChanged = false
        for bytes in SectionBytes.packets(section, on: stream) {
            let packet = try #require(TransportPacket(bytes, at: 0))
            hasChanged = take(packet, bytes[packet.payloadOffset...], at: position) || hasChanged
        }
        return hasChanged
    }

    fileprivate func ids(of program: Int = 7) -> [Int?] {
        [tables.events[program]?.present?.facts.id, tables.events[program]?.following?.facts.id]
    }
}

@Suite("Tables of a broadcast")
struct TableReadingTests {
    @Test("An event has its times, its status and the texts of its first language")
    func event() throws {
        let long = [UInt8](repeating: 0x61, count: 100)
        let texts =
            Sections.extended(0, "deu", "Eins ") + Sections.short("DEU", Array("Titel".utf8), long)
            + [0x54, 2, 0x20, 0] + Sections.short("fra", Array("Titre".utf8)) + Sections.extended(0, "fra", "Un")
        let section = Sections.events(number: 0, Sections.event(9, texts + Sections.extended(1, "DEU", "zwei")))
        #expect(section.count > 184, "it takes two packets")
        var reading = TableReading()
        try reading.take(section)
        try reading.take(Sections.events(number: 1, []))
        let event = try #require(reading.tables.events[7]?.present)
        var facts = ProgramEvent(id: 9)
        (facts.start, facts.duration) = (Sections.unixMoment, .seconds(6330))
        (facts.status, facts.language) = (.running, "deu")
        #expect(event.facts == facts)
        #expect(event.title == CodedText(charset: "ISO6937", bytes: Array("Titel".utf8)))
        #expect(event.text.bytes == long)
        #expect(event.details.map(\.bytes) == [Array("Eins ".utf8), Array("zwei".utf8)])
        let converted = event.converted { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(converted.title == "Titel" && converted.text.count == 100 && converted.details == "Eins zwei")
        #expect(reading.ids() == [9, nil])
    }

    @Test("Undefined times and codes that are not digits are left out", arguments: [0xFF, 0x6A, 0xA6] as [UInt8])
    func undefined(byte: UInt8) {
        #expect(BroadcastTime.moment([0xC0, 0x79, 0x12, 0x45, byte]) == nil)
        #expect(BroadcastTime.length([byte, 0, 0]) == nil)
        #expect(BroadcastTime.moment([0xC0, 0x79, 0x24, 0, 0]) == nil, "a day has 24 hours")
        #expect(BroadcastTime.length([0x24, 0x59, 0x59]) == .seconds(89_999))
        #expect(BroadcastTime.length([0, 0x60, 0]) == nil && BroadcastTime.length([0, 0]) == nil)
        // MJD 40587 is 1 January 1970.
        #expect(BroadcastTime.moment([0x9E, 0x8B, 0, 0, 1]) == 1_000_000)
        #expect(BroadcastTime.moment([0x9E, 0x8A, 0x23, 0x59, 0x59]) == -1_000_000)
    }

    @Test(
        "The first byte of a text names its charset, and control codes are left out",
        arguments: [
            ([0x41, 0x86, 0x42, 0x8A, 0x43, 0x0D], "ISO6937", [0x41, 0x42, 0x0A, 0x43]),
            ([1, 0xB0], "ISO-8859-5", [0xB0]),
            ([5, 0xDD], "ISO-8859-9", [0xDD]), ([0x0B, 0xA4], "ISO-8859-15", [0xA4]),
            ([0x10, 0, 2, 0xA3], "ISO-8859-2", [0xA3]), ([0x11, 0xE0, 0x8A], "UTF-16BE", [0xE0, 0x8A]),
            ([0x15, 0xC2, 0x8A], "UTF-8", [0xC2, 0x8A]), ([0x12, 0xB0, 0xA1], "EUC-KR", [0xB0, 0xA1]),
            ([0x13, 0xB0, 0xA1], "EUC-CN", [0xB0, 0xA1]),
        ] as [([UInt8], String, [UInt8])]
    )
    func charsets(coded: [UInt8], charset: String, bytes: [UInt8]) {
        #expect(CodedText(broadcast: coded[...]) == CodedText(charset: charset, bytes: bytes))
    }

    @Test(
        "A text without a known charset is empty",
        arguments: [
            [], [0], [8, 0x41], [0x0C, 0x41], [0x1F, 1, 0x41], [0x10], [0x10, 0, 12, 0x41], [0x10, 1, 2], [0x10, 0, 0],
        ]
            as [[UInt8]]
    )
    func unknown(coded: [UInt8]) { #expect(CodedText(broadcast: coded[...]) == .empty) }

    @Test("Present and following change together, with the second section of a version")
    func versions() throws {
        func section(_ version: UInt8, _ number: UInt8, _ id: UInt8) -> [UInt8] {
            Sections.events(version: version, number: number, Sections.event(id, []))
        }
        var reading = TableReading()
        #expect(try !reading.take(section(1, 0, 1)) && reading.ids() == [nil, nil])
        #expect(try reading.take(section(1, 1, 2)) && reading.ids() == [1, 2])
        #expect(try !reading.take(section(1, 0, 1)) && !reading.take(section(1, 1, 2)), "nothing is new")
        #expect(
            try !reading.take(section(2, 0, 2)) && reading.ids() == [1, 2],
            "2 is not present and following at once"
        )
        #expect(try reading.take(section(2, 1, 3)) && reading.ids() == [2, 3])
        // The section about the following event is lost, and the other one comes again.
        #expect(try !reading.take(section(3, 0, 3)))
        #expect(try reading.take(section(3, 0, 3)) && reading.ids() == [3, nil])
        #expect(try reading.take(section(3, 1, 4)) && reading.ids() == [3, 4])
        // A gap between two broadcasts.
        #expect(try !reading.take(Sections.events(version: 4, number: 0, [])))
        #expect(try reading.take(section(4, 1, 4)) && reading.ids() == [nil, 4])
        // A program that announces no following event.
        let alone = Sections.events(version: 5, number: 0, last: 0, Sections.event(5, []))
        #expect(try reading.take(alone) && reading.ids() == [5, nil])
    }

    @Test("Sections that are damaged, do not apply yet, or describe other streams or days are ignored")
    func ignored() throws {
        let event = Sections.event(1, [])
        var damaged = Sections.events(number: 0, last: 0, event)
        damaged[20] ^= 1
        // The events claim more descriptors than there are.
        let long = Array(event.dropLast()) + [1]
        let others = [
            damaged, Sections.events(number: 0, last: 0, applies: false, event),
            Sections.events(number: 2, last: 0, event),
            Sections.events(table: 0x4F, number: 0, last: 0, event),
            Sections.events(table: 0x50, number: 0, last: 0, event),
            Sections.events(number: 0, last: 0, Array(event.prefix(11))), Sections.events(number: 0, last: 0, long),
            SectionBytes.checked([0x4E, 0xF0, 1, 0]),
        ]
        var reading = TableReading()
        for section in others { #expect(try !reading.take(section)) }
        #expect(try !reading.take(Sections.events(number: 0, last: 0, event), on: 0x11))
        #expect(reading.tables == BroadcastTables())
        #expect(try reading.take(Sections.events(number: 0, last: 0, event)))
        // Descriptors that end early.
        let cut = Sections.short("deu", Array("Titel".utf8)).dropLast(3)
        #expect(try !reading.take(Sections.events(number: 0, last: 0, Sections.event(1, Array(cut)))))
    }

    @Test("Events of 256 programs are kept")
    func limit() throws {
        var reading = TableReading()
        for program in 1...300 {
            try reading.take(Sections.events(program: program, number: 0, last: 0, Sections.event(1, [])))
        }
        #expect(
            reading.tables.events.count == 256 && reading.ids(of: 256) == [1, nil]
                && reading.ids(of: 257) == [nil, nil]
        )
        #expect(try reading.take(Sections.events(program: 9, number: 0, last: 0, Sections.event(2, []))))
    }

    @Test("The time of day comes with the times of the media around it; a time offset section adds the offset from UTC")
    func clock() throws {
        let plain = [0x70, 0x70, 5] + Sections.moment
        var reading = TableReading()
        reading.note(90_000, of: 0x100)
        #expect(try reading.take(plain, on: 0x14, at: 376))
        var clock = BroadcastTables.Clock(time: Sections.unixMoment, position: 376, unitTimes: [0x100: 90_000])
        #expect(reading.tables.clock == clock)
        reading.note(180_000, of: 0x100)
        #expect(try reading.take(Sections.offset(5, isBehind: true), on: 0x14, at: 752))
        (clock.utcOffset, clock.position, clock.unitTimes) = (-19_800, 752, [0x100: 180_000])
        #expect(reading.tables.clock == clock)
        // A section without an offset follows, a damaged one, and one on another PID.
        #expect(try reading.take(plain, on: 0x14, at: 940))
        #expect(reading.tables.clock?.utcOffset == -19_800)
        var damaged = Sections.offset(2)
        damaged[12] ^= 1
        #expect(try !reading.take(damaged, on: 0x14))
        #expect(try !reading.take([0x70, 0x70, 5, 0xC0, 0x79, 0x99, 0x45, 0], on: 0x14))
        #expect(try !reading.take(Sections.offset(2), on: 0x12))
        #expect(try reading.take(Sections.offset(2), on: 0x14) && reading.tables.clock?.utcOffset == 9000)
    }

    @Test("The clock of a stream dates the media of a plan, across wraps and restarts of its timestamps")
    func dates() {
        let wrap: Int64 = 1 << 33
        var plan = SegmentPlan(timeBase: .hertz(90_000), origin: .scan)
        let clock = BroadcastTables.Clock(time: 1_000_000_000, position: 5000, unitTimes: [0x100: wrap - 90_000])
        // One second before the wrap, the clock states 1000 s; the media is three seconds after the wrap.
        #expect(clock.time(of: wrap + 270_000, in: plan, leading: 0x100) == 1_004_000_000)
        #expect(clock.time(of: 270_000, in: plan, leading: 0x100) == 1_004_000_000)
        #expect(clock.time(of: wrap - 180_000, in: plan, leading: 0x100) == 999_000_000)
        #expect(clock.time(of: 270_000, in: plan, leading: 0x101) == nil)
        #expect(clock.time(of: wrap + 3601 * 90_000, in: plan, leading: 0x100) == nil, "too long ago")
        // The timestamps have restarted before the clock was stated, and again after it.
        plan.jumps = [
            ClockJump(firstSegment: 1, position: 4000, offset: 900_000 - wrap, start: 0),
            ClockJump(firstSegment: 2, position: 6000, offset: 5_000_000, start: 0),
        ]
        #expect(clock.time(of: 900_000, in: plan, leading: 0x100) == 1_001_000_000)
    }

    @Test("The intake passes tables on unchanged, and notes the times of units under the PIDs that units are moved to")
    func intake() throws {
        func unit(_ stream: Int, _ counter: UInt8, ticks: UInt8) -> [UInt8] {
            let head: [UInt8] = [0x47, 0x40 | UInt8(stream >> 8), UInt8(stream & 255), 0x10 | counter]
            let unit: [UInt8] = [0, 0, 1, 0xE0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, ticks << 1 | 1]
            return head + unit + [UInt8](repeating: 0, count: 188 - 4 - unit.count)
        }
        func table(_ id: UInt8, _ body: [UInt8], version: UInt8 = 0) -> [UInt8] {
            let rest: [UInt8] = [0, 1, 0xC1 | version << 1, 0, 0] + body
            return SectionBytes.checked([id, 0xB0, UInt8(rest.count + 4)] + rest)
        }
        func map(_ stream: Int, version: UInt8) -> [UInt8] {
            table(
                2,
                [0xE1, 0, 0xF0, 0, 0x1B, 0xE0 | UInt8(stream >> 8), UInt8(stream & 255), 0xF0, 0],
                version: version
            )
        }
        let time = SectionBytes.packets([0x70, 0x70, 5] + Sections.moment, on: 0x14)
        let tables =
            SectionBytes.packets(table(0, [0, 1, 0xF0, 0]), on: 0)
            + SectionBytes.packets(map(0x100, version: 0), on: 0x1000)
        let first = tables + [unit(0x100, 0, ticks: 7)] + time
        let moved = SectionBytes.packets(map(0x200, version: 1), on: 0x1000) + [unit(0x200, 0, ticks: 9)] + time
        var intake = TransportIntake()
        _ = intake.take(first.flatMap { $0 })
        #expect(intake.reception.tables.clock?.unitTimes == [0x100: 7])
        #expect(intake.reception.tables.clock?.position == Int64(3 * 188))
        let events = SectionBytes.packets(Sections.events(number: 0, last: 0, Sections.event(1, [])), on: 0x12)
        let output = intake.take((moved + events).flatMap { $0 })
        #expect(intake.reception.tables.clock?.unitTimes[0x100] == 9, "the video has moved")
        #expect(intake.reception.tables.events[7]?.present?.facts.id == 1)
        #expect(output.suffix(188) == events[0][...])
    }

    @Test("No section begins in a packet that does not say so")
    func stuffing() {
        let section: [UInt8] = [0x70, 0x70, 5] + Sections.moment
        var sections = PacketSections()
        #expect(sections.add([0] + section[..<4], begins: true).isEmpty)
        #expect(sections.add(section[4...] + section, begins: false) == [section])
        #expect(sections.add([UInt8](repeating: 0, count: 184)[...], begins: false).isEmpty)
        #expect(sections.add([0, 0xFF, 0xFF] + section, begins: true).isEmpty)
        #expect(sections.add(section[...], begins: false).isEmpty)
        #expect(sections.add([0] + section + section, begins: true) == [section, section])
    }
}
