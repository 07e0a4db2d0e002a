// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

/// Builds a transport stream of a table, video and audio, packet by packet.
private struct Sender {
    private static let (table, picture, audio) = (0, 0x100, 0x101)

    private var counters: [Int: UInt8] = [:]
    private(set) var bytes: [UInt8] = []

    /// - Parameter counter: the first value of each counter. Senders with different values send no equal packets.
    init(counter: UInt8 = 0) {
        for stream in [Self.table, Self.picture, Self.audio] { counters[stream] = counter }
    }

    /// The video and audio units with the given numbers, 40 ms apart.
    static func bytes(_ units: Range<Int>, counter: UInt8 = 0) -> [UInt8] {
        var sender = Sender(counter: counter)
        for unit in units { sender.send(unit: unit) }
        return sender.bytes
    }

    mutating func send(unit: Int) {
        if unit % 5 == 0 { packet(Self.table, begins: true, [0, 0, 0xB0, 0x0D]) }
        packet(Self.picture, begins: true, Self.header(0xE0, unit * 3600))
        for number in 0..<6 { packet(Self.picture, begins: false, [UInt8(number), UInt8(unit & 255)]) }
        packet(Self.audio, begins: true, Self.header(0xC0, unit * 3600))
    }

    mutating func packet(_ stream: Int, begins: Bool, _ payload: [UInt8], isDamaged: Bool = false) {
        let counter = counters[stream] ?? 0
        counters[stream] = (counter + 1) & 15
        let flags = UInt8(stream >> 8) | (begins ? 0x40 : 0) | (isDamaged ? 0x80 : 0)
        let head = [0x47, flags, UInt8(stream & 255), 0x10 | counter]
        let filled = head + payload + [UInt8](repeating: 0xAA, count: 188)
        bytes += filled.prefix(188)
    }

    /// Skips a video packet.
    mutating func lose() { counters[Self.picture, default: 0] = (counters[Self.picture, default: 0] + 1) & 15 }

    private static func header(_ kind: UInt8, _ ticks: Int) -> [UInt8] {
        let time = UInt64(ticks) & ((1 << 33) - 1)
        return [
            0, 0, 1, kind, 0, 0, 0x80, 0x80, 5, UInt8(0x21 | time >> 29 & 14), UInt8(time >> 22 & 255),
            UInt8(time >> 14 & 254 | 1), UInt8(time >> 7 & 255), UInt8(time << 1 & 254 | 1),
        ]
    }
}

@Suite("Connections of a transport stream")
struct TransportIntakeTests {
    /// The bytes passed on if each connection delivers its bytes in pieces of `piece` bytes.
    private func joined(_ connections: [[UInt8]], piece: Int = 1000) -> (bytes: [UInt8], intake: TransportIntake) {
        var intake = TransportIntake()
        var bytes: [UInt8] = []
        for connection in connections {
            for start in stride(from: 0, to: connection.count, by: piece) {
                bytes += intake.take(Array(connection[start..<min(connection.count, start + piece)]))
            }
            bytes += intake.disconnected()
        }
        return (bytes, intake)
    }

    @Test("A single connection passes unchanged", arguments: [1, 187, 188, 189, 5000])
    func passes(piece: Int) {
        let sent = Sender.bytes(0..<20)
        let (bytes, intake) = joined([sent], piece: piece)
        #expect(bytes == sent && intake.canContinue)
        #expect(intake.reception == .init())
    }

    @Test("Bytes before the first packet are dropped; bytes that are not a transport stream pass unchanged")
    func aligns() {
        let sent = Sender.bytes(0..<20)
        #expect(joined([sent[1...] + []]).bytes == Array(sent[188...]))
        for other in [Array("#EXTM3U\n".utf8), [UInt8](repeating: 1, count: 5000), Array(sent.prefix(300)), []] {
            let (bytes, intake) = joined([other], piece: 90)
            #expect(bytes == other && !intake.canContinue)
        }
    }

    @Test(
        "Bytes that a connection repeats are dropped",
        arguments: [
            // The length of the first connection, in packets and bytes, and the first unit of the second.
            (100, 0, 0), (100, 0, 3), (100, 77, 5), (81, 1, 9), (160, 187, 19),
        ]
    )
    func repetition(packets: Int, rest: Int, unit: Int) {
        let sent = Sender.bytes(0..<40)
        let later = Sender.bytes(0..<unit).count
        for piece in [100, 3000] {
            let (bytes, intake) = joined(
                [Array(sent.prefix(packets * 188 + rest)), Array(sent[later...])],
                piece: piece
            )
            #expect(bytes == sent)
            #expect(intake.reception.reconnections == [.init(position: Int64(packets * 188), isSeamless: true)])
            #expect(intake.reception.repeatedByteCount == Int64(packets * 188 - later))
            #expect(intake.reception.continuityErrors == 0 && !intake.reception.hasRestarted)
        }
    }

    @Test("A connection that ends during a repetition, and one that delivers nothing, change nothing")
    func brokenRepetition() {
        let sent = Sender.bytes(0..<40)
        let first = Array(sent.prefix(200 * 188))
        let (bytes, intake) = joined([first, Array(sent.prefix(120 * 188)), [], Array("<html>".utf8), sent])
        #expect(bytes == sent)
        #expect(intake.reception.videoDiscontinuities.isEmpty)
    }

    @Test("After a gap, every stream continues at the start of a unit")
    func gap() {
        let sent = Sender.bytes(0..<20)
        let later = Sender.bytes(50..<60, counter: 3)
        // The second connection begins within a picture.
        let (bytes, intake) = joined([Array(sent.dropLast(100)), Array(later[(3 * 188)...])])
        let kept = sent.count - 188
        #expect(intake.reception.videoDiscontinuities == [Int64(kept)])
        #expect(Array(bytes.prefix(kept)) == Array(sent.prefix(kept)))
        let unit = Sender.bytes(50..<51).count
        // Of its first unit, only the audio is complete.
        #expect(Array(bytes[kept...]) == Array(later[(unit - 188)...]))
        #expect(intake.reception.continuityErrors == 0)
    }

    @Test("A unit that is repeated in different packets is dropped")
    func resent() {
        let sent = Sender.bytes(0..<20)
        let again = Sender.bytes(10..<30, counter: 7)
        let (bytes, intake) = joined([sent, again])
        #expect(intake.reception.videoDiscontinuities == [Int64(sent.count)])
        // The tables are held back until it is known that bytes are missing.
        let tables = Array(again.prefix(188)) + Array(again[(Sender.bytes(10..<15).count)...].prefix(188))
        let new = Array(again.suffix(Sender.bytes(20..<30).count))
        #expect(Array(bytes[sent.count...]) == tables + new)
    }

    @Test("A clock that wraps continues; one that is far behind is another clock", arguments: [true, false])
    func clocks(isWrap: Bool) {
        let last = isWrap ? (1 << 33) / 3600 : 100_000
        let sent = Sender.bytes(last - 20..<last)
        let (bytes, intake) = joined([sent, Sender.bytes(5..<25, counter: 9)])
        #expect(intake.reception.videoDiscontinuities == [Int64(sent.count)])
        #expect(bytes.count == sent.count + Sender.bytes(5..<25).count)
    }

    @Test("A stream whose start is repeated after a gap has restarted; one that is repeated completely has not")
    func restarts() {
        let sent = Sender.bytes(0..<20)
        #expect(!joined([sent, sent]).intake.reception.hasRestarted)
        let (_, intake) = joined([sent, Sender.bytes(50..<60, counter: 3), sent])
        #expect(intake.reception.hasRestarted)
    }

    @Test("Lost and damaged packets are counted and change nothing")
    func damage() {
        var sender = Sender()
        for unit in 0..<10 {
            sender.send(unit: unit)
            if unit == 3 || unit == 6 { sender.lose() }
            if unit == 8 { sender.packet(0x1FFE, begins: false, [], isDamaged: true) }
        }
        var (bytes, intake) = joined([sender.bytes])
        #expect(bytes == sender.bytes)
        #expect(intake.reception.continuityErrors == 2 && intake.reception.transportErrors == 1)
        // Bytes between two packets.
        let sent = Sender.bytes(0..<10)
        (bytes, intake) = joined([Array(sent.prefix(188 * 9)) + [1, 2, 3] + Array(sent[(188 * 9)...])])
        #expect(bytes == sent && intake.reception.transportErrors == 1)
    }

    // MARK: Codecs that change

    private static let replacement = StreamReception.Change.Kind.replaced("H.264", 0x100, by: "HEVC", as: 0x100)

    /// Ten units of H.264, ten of HEVC, and as many of H.264 again; and the lengths up to the maps between them.
    ///
    /// - Parameter others: other video of the program.
    private static func change(beside others: [ProgramTables.Entry]) -> (bytes: [UInt8], ends: [Int]) {
        var sender = Sender()
        var ends: [Int] = []
        for (version, type) in [UInt8(0x1B), 0x24, 0x1B].enumerated() {
            ends.append(sender.bytes.count)
            let streams = [ProgramTables.Entry(type: type, number: 0x100), .init(type: 0x0F, number: 0x101)] + others
            let map = ProgramTables.map(version: version, streams)
            for (stream, section) in [(0, ProgramTables.association(1, map: 0x1000)), (0x1000, map)] {
                let filler = [UInt8](repeating: 0xFF, count: 183 - section.count)
                sender.packet(stream, begins: true, [0] + section + filler)
            }
            for unit in version * 10..<version * 10 + 10 { sender.send(unit: unit) }
        }
        return (sender.bytes, Array(ends.dropFirst()))
    }

    private static let other = ProgramTables.Entry(type: 0x02, number: 0x102)

    @Test(
        "A stream ends at the map that gives its only video, or the video that is played, another codec",
        arguments: [1, 188, 1_000_000],
        [true, false]
    )
    func replaced(piece: Int, isOnly: Bool) {
        let (sent, ends) = Self.change(beside: isOnly ? [] : [Self.other])
        var intake = TransportIntake()
        if !isOnly { intake.require(stream: 0x100) }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: sent.count, by: piece) {
            bytes += intake.take(Array(sent[start..<min(sent.count, start + piece)]))
        }
        // Only the table before the map is left of what follows the change.
        #expect(bytes == Array(sent[..<(ends[0] + 188)]))
        #expect(intake.reception.hasEnded && intake.reception.changes.map(\.kind) == [Self.replacement])
        #expect(intake.disconnected().isEmpty && intake.take(sent).isEmpty)
    }

    @Test(
        "A stream goes on if other video changes its codec, and ends once that video is required, unless it is back"
    )
    func unrelated() {
        let (sent, ends) = Self.change(beside: [Self.other])
        var (bytes, intake) = joined([Array(sent[..<ends[1]])])
        #expect(bytes.count > ends[0] + 188 && !intake.reception.hasEnded)
        intake.require(stream: 0x102)
        #expect(!intake.reception.hasEnded)
        intake.require(stream: 0x100)
        #expect(intake.reception.hasEnded)
        (bytes, intake) = joined([sent])
        intake.require(stream: 0x100)
        #expect(!intake.reception.hasEnded && intake.reception.changes.count == 2)
    }

    // MARK: Ad breaks

    private static func section(_ head: [UInt8], _ body: [UInt8]) -> [UInt8] {
        let length = head.count + body.count + 3
        let bytes = [head[0], 0x30 | UInt8(length >> 8), UInt8(length & 255)] + head.dropFirst() + body
        let sum = CRC32.checksum(of: bytes[...])
        return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    }

    /// A program map with H.264 as PID 100 and SCTE 35 messages as PID 200 (hexadecimal).
    private static var map: [UInt8] {
        section([2], [0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0, 0x1B, 0xE1, 0, 0xF0, 0, 0x86, 0xE2, 0, 0xF0, 0])
    }

    /// A `splice_insert()`. Times are in ticks of 90 kHz; without `time`, it applies immediately.
    private static func insert(
        _ event: UInt8,
        isOut: Bool = true,
        at time: Int64? = nil,
        for duration: Int64? = nil,
        isCancelled: Bool = false
    ) -> [UInt8] {
        func number(_ ticks: Int64) -> [UInt8] {
            [UInt8(0x7E | ticks >> 32 & 1)] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ticks >> $0) }
        }
        var command: [UInt8] = [0, 0, 0, event, isCancelled ? 0xFF : 0x7F]
        if !isCancelled {
            command.append((isOut ? 0xC0 : 0x40) | (duration == nil ? 0 : 0x20) | (time == nil ? 0x10 : 0) | 0x0F)
            if let time { command += [0x80 | number(time)[0]] + number(time).dropFirst() }
            if let duration { command += number(duration) }
            command += [0, 1, 0, 0]
        }
        let head: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0xFF, 0xF0, UInt8(command.count), 5]
        return section([0xFC], head + command + [0, 0])
    }

    @Test("Each ad break is reported once, with its distance from the newest media")
    func adBreaks() {
        var sender = Sender()
        let program = Self.section([0], [0, 1, 0xC1, 0, 0, 0, 1, 0xF0, 0x00])
        func send(_ stream: Int, _ section: [UInt8], isDamaged: Bool = false) {
            let filler = [UInt8](repeating: 0xFF, count: 183 - section.count)
            sender.packet(stream, begins: true, [0] + section + filler, isDamaged: isDamaged)
        }
        send(0, program)
        send(0x1000, Self.map)
        sender.send(unit: 0)
        // Unit 10 is at 36,000 ticks; the break begins four seconds later.
        for unit in 1...10 { sender.send(unit: unit) }
        let begin = Self.insert(7, at: 36_000 + 360_000, for: 2_700_000)
        for _ in 0..<3 { send(0x200, begin) }
        send(0x200, Self.insert(8, isCancelled: true))
        var damaged = Self.insert(9)
        damaged[10] ^= 1
        send(0x200, damaged)
        send(0x200, Self.insert(10), isDamaged: true)
        // This PID does not carry such messages.
        send(0x201, Self.insert(11))
        send(0x200, Self.insert(7, isOut: false))
        send(0x200, Self.insert(12, at: 8_640))
        send(0x200, Self.insert(12, isCancelled: true))
        for unit in 11...20 { sender.send(unit: unit) }
        let splices = joined([sender.bytes]).intake.reception.splices
        #expect(splices.map(\.event) == [7, 7, 12, 12])
        #expect(splices.map(\.kind) == [.begins(duration: .seconds(30)), .ends, .begins(duration: nil), .cancelled])
        #expect(splices.map(\.delay) == [.seconds(4), nil, .seconds(-0.304), nil])
        #expect(splices.allSatisfy { $0.position > 0 })
    }
}
