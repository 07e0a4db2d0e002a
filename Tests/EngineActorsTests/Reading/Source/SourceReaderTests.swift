// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Reading a source", .timeLimit(.minutes(10)))
struct SourceReaderTests {
    /// How the bytes of a file are packed.
    enum Form: CaseIterable, Sendable { case unindexed, indexed, bare }

    /// Six seconds with five frames of video each, of which the first is a keyframe, and a frame of audio after each
    /// frame of video.
    ///
    /// - Parameter byteCount: the length of a frame of video.
    private static func film(byteCount: Int) -> [Packet] {
        let payload = [UInt8](repeating: 7, count: byteCount)
        return (0..<30).flatMap { number in
            let time = Int64(number) * 200
            return [
                Packet(payload, stream: 0, pts: time, flags: number % 5 == 0 ? .key : []),
                Packet([1, 2], stream: 1, pts: time + 20, flags: .key),
            ]
        }
    }

    private static let film = film(byteCount: 2)
    /// Longer than what libavformat reads to recognise a container.
    private static let large = MatroskaBytes(film(byteCount: 30_000))
    private static let matroska = MatroskaBytes(film)
    private static let indexed = MatroskaBytes(film, hasCues: true)

    /// The properties that identify a packet.
    private struct Mark: Equatable, Sendable {
        let stream: Int
        let time: Int64?
    }

    private let thread = ReadingThread()

    private func reader(
        _ source: any ByteSource,
        of streams: Set<Int> = [0, 1],
        _ interrupt: InterruptFlag = InterruptFlag()
    ) throws(EngineError) -> SourceReader {
        let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: interrupt)
        reader.prepareForPackets(of: streams)
        return reader
    }

    /// The packets up to the end.
    private static func rest(_ reader: SourceReader) throws(EngineError) -> [Mark] {
        var found: [Mark] = []
        while let packet = try reader.readPacket() { found.append(Mark(stream: packet.streamIndex, time: packet.pts)) }
        return found
    }

    /// The numbers of the frames of a bare stream up to its end.
    private static func numbers(_ reader: SourceReader) throws(EngineError) -> [Int] {
        var found: [Int] = []
        while let packet = try reader.readPacket() {
            let bytes = packet.withBytes { span in span.indices.map { span[$0] } }
            if let number = ADTSBytes.number(of: bytes) { found.append(number) }
        }
        return found
    }

    // MARK: What it reads

    @Test(
        "The packets of kept streams come in file order, up to the end",
        arguments: [[0], [1], [0, 1]] as [Set<Int>]
    )
    func kept(streams: Set<Int>) async throws {
        let found = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(Self.matroska.bytes), of: streams)
            let found = try Self.rest(reader)
            #expect(try reader.readPacket() == nil, "the end stays the end")
            return found
        }
        let expected = Self.film.filter { streams.contains($0.streamIndex) }
        #expect(found == expected.map { Mark(stream: $0.streamIndex, time: $0.pts) })
    }

    @Test("A change of the kept streams takes effect with the next packet")
    func change() async throws {
        let found = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(Self.matroska.bytes), of: [0, 1])
            for _ in 0..<4 { _ = try reader.readPacket() }
            reader.keep(only: [1])
            return try Self.rest(reader)
        }
        #expect(Set(found.map(\.stream)) == [1])
        #expect(found.first?.time == 420)
    }

    @Test("A walk finds the same packets without reading their payload")
    func walk() async throws {
        let payload = [UInt8](repeating: 7, count: 40_000)
        let packets = (0..<8).map { Packet(payload, stream: 0, pts: $0 * 100, flags: .key) }
        let source = ScriptedSource(MatroskaBytes(packets).bytes)
        let times = try await thread.run { () throws(EngineError) in
            let reader = try SourceReader(file: source, for: .walking, edits: .any, interrupt: InterruptFlag())
            reader.prepareForWalking(over: [0])
            return try Self.rest(reader).map(\.time)
        }
        #expect(times == packets.map(\.pts))
        let count = source.requests.withLock { $0.reduce(0) { $0 + $1.count } }
        #expect(count < payload.count, "\(count) of \(source.byteCount) bytes were read")
    }

    // MARK: Damage and failures

    @Test(
        "Damaged packets are skipped; after a thousand in a row, reading ends",
        arguments: [(1, true), (3, true), (900, true), (1100, false)]
    )
    func damage(count: Int, isReadOn: Bool) async throws {
        let damaged = (0..<count).flatMap { _ in ADTSBytes.damaged }
        let bytes = ADTSBytes.stream(0..<100) + damaged + ADTSBytes.stream(100..<200)
        let found = try await thread.run { [self] in
            try Self.numbers(reader(ScriptedSource(bytes), of: [0]))
        }
        #expect(Array(found.prefix(90)) == Array(0..<90))
        #expect(found.contains(150) == isReadOn)
        #expect(found == found.sorted())
    }

    @Test(
        "A failure of the source keeps its error code, at opening and later",
        arguments: [EngineError.Code.sourceChanged, .sourceUnreachable, .cancelled]
    )
    func failure(code: EngineError.Code) async throws {
        let isBroken = Locked(false)
        let source = ScriptedSource(ADTSBytes.stream((0..<40_000).lazy.map { $0 & 255 })) { range in
            isBroken.withLock { $0 } || range.lowerBound > 200_000 ? .failure(EngineError(code, "scripted")) : .whole
        }
        let late = await thread.run { [self] in
            #expect(throws: EngineError.self) { try Self.rest(reader(source, of: [0])) }
        }
        #expect(late?.code == code)
        isBroken.withLock { $0 = true }
        let early = await thread.run { [self] in
            #expect(throws: EngineError.self) { try reader(source, of: [0]) }
        }
        #expect(early?.code == code)
    }

    @Test("Bytes that are not media are refused as such")
    func other() async throws {
        let failure = await thread.run { [self] in
            #expect(throws: EngineError.self) {
                try reader(ScriptedSource([UInt8](repeating: 0x41, count: 10_000)))
            }
        }
        #expect(failure?.code == .sourceNotMedia)
    }

    // MARK: Waiting

    @Test("At the end of a source that grows, a read waits for more bytes")
    func growth() async throws {
        let gate = Gate()
        let start = Int(Self.large.clusters[3].position)
        let source = ScriptedSource(Self.large.bytes, growing: .init(from: start, after: gate))
        let seen = Locked(0)
        let reading = Task { [thread] in
            try await thread.run { () throws(EngineError) in
                let reader = try reader(source)
                var times: [Int64?] = []
                while let packet = try reader.readPacket() {
                    times.append(packet.pts)
                    seen.withLock { $0 = times.count }
                }
                return times
            }
        }
        await gate.arrival()
        #expect((29...30).contains(seen.withLock { $0 }), "what has come is read before")
        gate.open()
        #expect(try await reading.value == Self.film.map(\.pts))
    }

    @Test("Raising the flag ends a read that waits, and every later one")
    func interruption() async throws {
        let (gate, flag) = (Gate(), InterruptFlag())
        let start = Int(Self.large.clusters[3].position)
        let source = ScriptedSource(Self.large.bytes, growing: .init(from: start, after: gate))
        let reading = Task { [thread] in
            try await thread.run { () throws(EngineError) in
                let reader = try reader(source, flag)
                var codes: [EngineError.Code] = []
                for _ in 1...2 {
                    do throws(EngineError) { _ = try Self.rest(reader) } catch { codes.append(error.code) }
                    gate.open()
                }
                return codes
            }
        }
        await gate.arrival()
        flag.raise()
        #expect(try await reading.value == [.cancelled, .cancelled])
    }

    // MARK: Seeking

    @Test(
        "After entering at a boundary, the first packet is its keyframe, in any order of boundaries",
        arguments: [Form.unindexed, .indexed]
    )
    func enter(form: Form) async throws {
        let file = form == .indexed ? Self.indexed : Self.matroska
        let found = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(file.bytes))
            var found: [Int64?] = []
            for place in [4, 1, 5, 0, 3, 3] {
                let cluster = file.clusters[place]
                let boundary = Keyframe(time: cluster.time, seekTimestamp: cluster.time, position: cluster.position)
                #expect(try reader.enter(boundary, lead: 0, isIndexed: form == .indexed))
                found.append(try reader.readPacket()?.pts)
            }
            return found
        }
        #expect(found == [4000, 1000, 5000, 0, 3000, 3000])
    }

    @Test("A boundary that a scan has found is entered at its position; nothing before it is read")
    func directly() async throws {
        let cluster = Self.large.clusters[4]
        let source = ScriptedSource(Self.large.bytes)
        try await thread.run { [self] in
            let reader = try reader(source)
            source.requests.withLock { $0 = [] }
            let boundary = Keyframe(time: cluster.time, seekTimestamp: cluster.time, position: cluster.position)
            #expect(try reader.enter(boundary, lead: 0, isIndexed: false))
            #expect(try reader.readPacket()?.pts == cluster.time)
        }
        #expect(source.requests.withLock { $0.first?.lowerBound } == cluster.position)
    }

    @Test(
        "A seek leads to the last keyframe at or before a time",
        arguments: [(0, 0), (999, 0), (1000, 1000), (2999, 2000), (5000, 5000), (9000, 5000)] as [(Int64, Int64)],
        [Form.unindexed, .indexed]
    )
    func seek(pair: (time: Int64, keyframe: Int64), form: Form) async throws {
        let file = form == .indexed ? Self.indexed : Self.matroska
        let found = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(file.bytes))
            try reader.seek(stream: 0, atOrBefore: pair.time)
            return try reader.readPacket()?.pts
        }
        #expect(found == pair.keyframe)
    }

    @Test("A bare stream is entered at a byte")
    func bytes() async throws {
        let found = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(ADTSBytes.stream(0..<250)), of: [0])
            try reader.seek(byte: 100 * Int64(ADTSBytes.frameByteCount))
            return try Self.numbers(reader)
        }
        #expect(found == Array(100..<250))
    }

    @Test("After a return to the start, everything is read again", arguments: Form.allCases)
    func again(form: Form) async throws {
        let bytes: [UInt8] =
            switch form {
            case .unindexed: Self.matroska.bytes
            case .indexed: Self.indexed.bytes
            case .bare: ADTSBytes.stream(0..<200)
            }
        try await thread.run { [self] in
            let reader = try reader(ScriptedSource(bytes), of: [0])
            let whole = try Self.rest(reader)
            try reader.goToStart(of: [0])
            for _ in 0..<3 { _ = try reader.readPacket() }
            try reader.goToStart(of: [0])
            #expect(try Self.rest(reader) == whole && whole.count >= 30)
            #expect(try reader.firstPackets(of: 0, count: 4).map(\.pts) == whole.prefix(4).map(\.time))
            #expect(try Self.rest(reader) == whole, "the read position is the start")
        }
    }

    // MARK: Discontinuities

    /// Two recordings of three seconds, the second of which begins at time 0 again.
    private static let joined = MatroskaBytes(
        film.map { packet in
            (packet.pts ?? 0) < 3000 ? packet : packet.moved(by: -3000).presented(at: (packet.pts ?? 0) - 3000)
        }
    )

    private static let plan = SegmentPlan(
        timeBase: TimeBase(1, 1000),
        boundaries: joined.clusters.enumerated().map { place, cluster in
            Keyframe(time: Int64(place) * 1000, seekTimestamp: cluster.time, position: cluster.position)
        },
        end: 6000,
        origin: .scan,
        jumps: [ClockJump(firstSegment: 3, position: joined.clusters[3].position, offset: 3000, start: 3000)]
    )

    @Test("Packets on both sides of a join are put on the clock of a followed plan")
    func discontinuity() async throws {
        let times = try await thread.run { [self] in
            let reader = try reader(ScriptedSource(Self.joined.bytes), of: [0, 1])
            reader.follow(Self.plan)
            return try Self.rest(reader).map(\.time)
        }
        #expect(times == Self.film.map(\.pts))
    }

    @Test("Packets of the old side of a join that are not before the start of the new side are dropped")
    func overlap() async throws {
        var plan = Self.plan
        plan.jumps[0].start = 2500
        plan.jumps[0].offset = 2500
        let times = try await thread.run { [self, plan] in
            let reader = try reader(ScriptedSource(Self.joined.bytes), of: [0])
            reader.follow(plan)
            return try Self.rest(reader).map(\.time)
        }
        let old: [Int64] = Array(stride(from: 0, to: 2500, by: 200))
        #expect(times == old + stride(from: 2500, to: 5500, by: 200))
    }

    @Test("Without a plan, packets keep the source's own clock")
    func ownClock() async throws {
        let times = try await thread.run { [self] in
            try Self.rest(reader(ScriptedSource(Self.joined.bytes), of: [0])).map(\.time)
        }
        #expect(Array(times.suffix(15)) == Array(times.prefix(15)))
    }
}
