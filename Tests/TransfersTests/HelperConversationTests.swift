// SPDX-License-Identifier: Apache-2.0

import Bindings
import SourceWire
import Testing

@testable import Transfers

private let slot = HelperConversation.slotByteCount
private let second: Int64 = 1_000_000_000

/// A conversation with a source that has answered `open`.
private func opened(_ state: SourceState = SourceState(byteCount: 10 << 20, tag: "v1")) throws -> HelperConversation {
    var conversation = HelperConversation()
    conversation.open(OpenRequest(url: "smb://host/share/film.mkv"))
    #expect(conversation.takeRequests().count == 1)
    try conversation.receive(SourceReply.opened(state).bytes, now: 0)
    return conversation
}

extension HelperConversation {
    fileprivate mutating func receive(_ reply: SourceReply, now: Int64 = 0) throws(SourceViolation) {
        try receive(reply.bytes, now: now)
    }

    fileprivate mutating func takeRequests() -> [SourceRequest] { takeRequests(now: 0) }

    /// The reads to send now: id, offset and length.
    fileprivate mutating func takeReads(now: Int64 = 0) -> [(id: UInt32, offset: Int64, count: Int)] {
        takeRequests(now: now).compactMap { request in
            guard case .read(let id, let offset, let count, _) = request else { return nil }
            return (id, offset, count)
        }
    }

    /// Takes all steps that can be taken.
    fileprivate mutating func takeSteps(of job: UInt64) -> [Step] {
        var steps: [Step] = []
        while let step = step(of: job) {
            steps.append(step)
            did(step, of: job)
        }
        return steps
    }
}

@Suite("Conversations with helpers")
struct HelperConversationTests {
    @Test(
        "Helpers show a URL without user name, password, query and fragment",
        arguments: [
            ("nfs://host/export/film.mkv?version=3&tok=secret", "nfs://host/export/film.mkv"),
            ("nfs://me:secret@host:2049/a@b/film.mkv?uid=1#x", "nfs://host:2049/a@b/film.mkv"),
            ("smb://host/share/film.mkv", "smb://host/share/film.mkv"), ("nfs:?tok", "nfs:"),
            ("smb://host/share/film.mkv?password=PW?", "smb://host/share/film.mkv"),
        ]
    )
    func showsURLs(url: String, text: String) { #expect(OpenRequest(url: url).shownURL == text) }

    @Test("A range is read in parts, and delivered in order however the answers come")
    func order() throws {
        var conversation = try opened()
        conversation.add(7, .bytes(100..<100 + 700_000), isUrgent: true, now: 0)
        let reads = conversation.takeReads()
        #expect(reads.map(\.offset) == [100, 100 + 262_144, 100 + 524_288])
        #expect(reads.map(\.count) == [262_144, 262_144, 175_712])
        guard case .begin(let head)? = conversation.step(of: 7) else { throw Failure.noHead }
        #expect(head.status == 206 && head["content-range"] == "bytes 100-700099/10485760" && head["etag"] == "\"v1\"")
        conversation.did(.begin(head), of: 7)
        try conversation.receive(.data(id: reads[1].id, count: reads[1].count))
        #expect(conversation.step(of: 7) == nil)
        try conversation.receive(.data(id: reads[0].id, count: reads[0].count))
        try conversation.receive(.data(id: reads[2].id, count: reads[2].count))
        let parts: [Range<Int>] = [0..<262_144, slot..<slot + 262_144, 2 * slot..<2 * slot + 175_712]
        #expect(conversation.takeSteps(of: 7) == parts.map { .bytes($0) } + [.end(.complete)])
        #expect(conversation.transfers.isEmpty && !conversation.isWaiting)
    }

    @Test("The memory bounds the reads in flight, and read-ahead leaves half of it")
    func slots() throws {
        var conversation = try opened(SourceState(byteCount: 1 << 40))
        conversation.add(1, .bytes(0..<64 << 20), isUrgent: false, now: 0)
        #expect(conversation.takeReads().count == HelperConversation.slots / 2)
        conversation.add(2, .bytes(1 << 30..<2 << 30), isUrgent: true, now: 0)
        let urgent = conversation.takeReads()
        #expect(urgent.count == HelperConversation.slots / 2 && urgent.first?.offset == 1 << 30)
        #expect(conversation.takeReads().isEmpty)
        #expect(conversation.transfers == [2, 1])
    }

    @Test("Reads are longer if each of them waits long for its first byte")
    func latency() throws {
        var conversation = try opened(SourceState(byteCount: 1 << 40))
        var (now, lengths, job): (Int64, [Int], UInt64) = (0, [], 0)
        // 4 ms for each read, and 1 ns for each byte; the source answers one read after another.
        for index in Int64(0)..<12 {
            job += 1
            // Reads of one length would not show what a byte costs.
            let (offset, count): (Int64, Int64) = (index << 22, index % 2 == 0 ? 4 << 20 : 2 << 20)
            conversation.add(job, .bytes(offset..<offset + count), isUrgent: true, now: now)
            while conversation.transfers == [job] {
                let reads = conversation.takeReads(now: now)
                try #require(!reads.isEmpty)
                lengths += reads.map(\.count)
                for read in reads {
                    now += 4_000_000 + Int64(read.count)
                    try conversation.receive(.data(id: read.id, count: read.count), now: now)
                }
                _ = conversation.takeSteps(of: job)
            }
        }
        #expect(lengths.first == 1 << 20 && lengths.contains(1 << 19))
        #expect(lengths.suffix(6).allSatisfy { $0 == slot })
    }

    @Test("Cancelled reads keep their slots until they are answered")
    func cancels() throws {
        var conversation = try opened(SourceState(byteCount: 1 << 40))
        conversation.add(1, .bytes(0..<64 << 20), isUrgent: true, now: 0)
        let reads = conversation.takeReads()
        conversation.remove(1)
        #expect(conversation.takeRequests() == reads.map { .cancel(id: $0.id) })
        conversation.add(2, .bytes(0..<10), isUrgent: true, now: 0)
        #expect(conversation.takeReads().isEmpty && conversation.isWaiting)
        try conversation.receive(.failed(id: reads[3].id, SourceProblem(.cancelled, "")))
        try conversation.receive(.data(id: reads[0].id, count: reads[0].count))
        #expect(conversation.takeReads().map(\.count) == [10])
    }

    @Test("After a second, the state is asked for before a transfer begins")
    func state() throws {
        var conversation = try opened()
        conversation.add(1, .bytes(0..<10), isUrgent: true, now: 2 * second)
        let requests = conversation.takeRequests()
        guard requests.count == 2, case .state(let id) = requests[0] else { throw Failure.noRequest }
        #expect(conversation.step(of: 1) == nil)
        try conversation.receive(.state(id: id, SourceState(byteCount: 20, tag: "v2")), now: 2 * second)
        guard case .begin(let head)? = conversation.step(of: 1) else { throw Failure.noHead }
        #expect(head["etag"] == "\"v2\"" && head["content-range"] == "bytes 0-9/20")
        conversation.add(2, .bytes(0..<10), isUrgent: true, now: 2 * second + 1)
        #expect(conversation.takeReads().count == 1)
    }

    @Test("A source without offsets is read once, from start to end")
    func forward() throws {
        var conversation = try opened(SourceState(byteCount: nil, isSeekable: false))
        conversation.add(1, .bytes(500..<600), isUrgent: true, now: 0)
        guard case .begin(let head)? = conversation.step(of: 1) else { throw Failure.noHead }
        #expect(head == ResponseHead(status: 200, fields: []))
        conversation.did(.begin(head), of: 1)
        for (offset, count) in [(Int64(0), slot), (Int64(slot), 3), (Int64(slot) + 3, 0)] {
            let reads = conversation.takeReads()
            #expect(reads.map(\.offset) == [offset] && conversation.takeReads().isEmpty)
            try conversation.receive(.data(id: reads[0].id, count: count))
            let steps = conversation.takeSteps(of: 1)
            #expect(steps.first == .bytes(0..<count))
            #expect((steps.last == .end(.complete)) == (count == 0))
        }
    }

    @Test("The text of a failure is passed on in one line, without control characters and without the query of the URL")
    func texts() throws {
        var conversation = HelperConversation()
        conversation.open(OpenRequest(url: "smb://host/share/film.mkv?password=PW"))
        let text = "smb://host/share/film.mkv?password=PW: no\n\u{1B}[2J\0"
        try conversation.receive(.failed(id: 0, SourceProblem(.accessDenied, text)))
        #expect(conversation.failure?.description == "smb://host/share/film.mkv: no\\n\\u{1B}[2J\\0")
    }

    @Test("A problem that the source reports ends the transfer to whose request it answers")
    func problems() throws {
        var conversation = HelperConversation()
        conversation.open(OpenRequest(url: "smb://host/share/film.mkv"))
        conversation.add(1, .bytes(0..<10), isUrgent: true, now: 0)
        #expect(conversation.isOpening && conversation.takeRequests().count == 1)
        try conversation.receive(.failed(id: 0, SourceProblem(.accessDenied, "no")))
        #expect(conversation.failure == SourceRefusal(.accessDenied, "no"))

        conversation = try opened()
        conversation.add(1, .bytes(0..<600_000), isUrgent: true, now: 0)
        conversation.add(2, .bytes(10 << 20..<11 << 20), isUrgent: true, now: 0)
        let reads = conversation.takeReads()
        try conversation.receive(.failed(id: reads[1].id, SourceProblem(.failed, "disk")))
        #expect(conversation.takeSteps(of: 1) == [.end(.refused(SourceRefusal(.unreachable, "disk")))])
        #expect(conversation.takeRequests() == [.cancel(id: reads[0].id), .cancel(id: reads[2].id)])
        guard case .begin(let head)? = conversation.step(of: 2) else { throw Failure.noHead }
        #expect(head.status == 416 && head["content-range"] == "bytes */10485760")

        conversation = try opened()
        conversation.add(1, .bytes(0..<600_000), isUrgent: true, now: 0)
        try conversation.receive(.data(id: conversation.takeReads()[0].id, count: 5))
        guard case .end(.refused(let refusal))? = conversation.step(of: 1) else { throw Failure.noEnd }
        #expect(refusal.kind == .changed)
    }

    @Test(
        "Answers that break the protocol are refused",
        arguments: [
            (SourceReply.data(id: 99, count: 1), SourceViolation.unasked(id: 99)),
            (.data(id: 1, count: slot + 1), .tooMany(count: slot + 1, asked: 262_144)),
            (.opened(SourceState(byteCount: 1)), .unasked(id: 0)),
            (.state(id: 5, SourceState(byteCount: 1)), .unasked(id: 5)),
            (.failed(id: 0, SourceProblem(.failed, "")), .unasked(id: 0)),
            (.failed(id: 1, SourceProblem(.cancelled, "")), .unasked(id: 1)),
        ]
    )
    func violations(_ reply: SourceReply, _ violation: SourceViolation) throws {
        var conversation = try opened()
        conversation.add(1, .bytes(0..<262_144), isUrgent: true, now: 0)
        #expect(conversation.takeReads().map(\.id) == [1])
        #expect(throws: violation) { try conversation.receive(reply) }
    }

    private enum Failure: Error { case noHead, noRequest, noEnd }
}

@Suite("Times of reads")
struct ReadTimesTests {
    /// The efficient length after reads of these lengths; `latency` and `perByte` are in seconds.
    private func length(_ latency: Double, perByte: Double, of counts: [Int] = [262_144, 800_000, 500_000]) -> Int64 {
        var times = ReadTimes()
        for count in counts {
            times.add(byteCount: count, nanoseconds: Int64((latency + Double(count) * perByte) * 1e9))
        }
        return times.efficientByteCount
    }

    @Test("In an efficient read, the transfer takes four times the latency, and at most a quarter of a second")
    func efficient() {
        #expect(abs(length(0.02, perByte: 8e-8) - 1_000_000) < 1000)
        #expect(abs(length(0.2, perByte: 8e-8) - 3_125_000) < 1000)
        #expect(length(0, perByte: 8e-8) < 10)
    }

    @Test(
        "Reads of a single length show nothing, and longer reads are efficient if the time does not rise with the length"
    )
    func unknown() {
        #expect(ReadTimes().efficientByteCount == 0)
        #expect(length(0.02, perByte: 8e-8, of: [262_144, 262_144, 262_144]) == 0)
        #expect(length(0.02, perByte: 0) > 1 << 40)
        // Equal times of different reads leave a slope that is only rounding.
        for nanoseconds in 1...20_000 {
            var times = ReadTimes()
            for count in [4417, 1_273_890, 4417] { times.add(byteCount: count, nanoseconds: Int64(nanoseconds) * 1777) }
            #expect(times.efficientByteCount >= 0)
        }
    }

    @Test("Later reads count more")
    func later() {
        var times = ReadTimes()
        for index in 0..<60 {
            let count = 100_000 + index % 7 * 100_000
            times.add(byteCount: count, nanoseconds: (index < 30 ? 100_000_000 : 10_000_000) + Int64(count) * 80)
        }
        #expect(abs(times.efficientByteCount - 500_000) < 200_000)
    }
}

@Suite("Messages of the source protocol")
struct SourceMessageTests {
    @Test(
        "Requests are read as they were written",
        arguments: [
            SourceRequest.state(id: 7), .cancel(id: .max), .read(id: 3, offset: 1 << 50, count: 5, position: 1 << 20),
        ]
    )
    func requests(_ request: SourceRequest) throws { #expect(try SourceRequest(request.bytes) == request) }

    @Test(
        "The path of a URL is bytes in any encoding",
        arguments: [
            ("smb://host/films/Am%e9lie%20?a=/%zz", Array("/films/Am".utf8) + [0xE9] + Array("lie ".utf8)),
            ("smb://host", []),
            ("smb://host/a%2", nil), ("smb://host/%zz", nil), ("smb://host/%+5", nil), ("host/a", nil),
        ] as [(String, [UInt8]?)]
    )
    func path(url: String, bytes: [UInt8]?) { #expect(OpenRequest(url: url).path == bytes) }

    @Test(
        "The host of a URL has neither a port nor brackets",
        arguments: [
            ("smb://nas.local/films/a:b@c", "nas.local"), ("nfs://me:p@nas:2049/films/a", "nas"), ("smb://nas", "nas"),
            ("smb://me@[fe80::1]:445/films/a", "fe80::1"), ("nfs://[::1]/films/a", "::1"), ("nas/films", ""),
        ]
    )
    func host(url: String, host: String) { #expect(OpenRequest(url: url).host == host) }

    @Test("The first message carries what is needed to open")
    func open() throws {
        var open = OpenRequest(url: "smb://host/share/Füße.mkv")
        (open.user, open.password, open.memoryByteCount) = ("u", "p w", 8 << 20)
        #expect(try SourceRequest(SourceRequest.open(open).bytes) == .open(open))
    }

    @Test(
        "Replies are read as they were written",
        arguments: [
            SourceReply.opened(SourceState(byteCount: 5, tag: "a.b")),
            .opened(SourceState(byteCount: 5, tag: "a.b", modified: 1_700_000_000)),
            .state(id: 4, SourceState(byteCount: nil, isSeekable: false)), .data(id: 9, count: 1 << 20),
            .failed(id: 2, SourceProblem(.notFound, "ENOENT")),
        ]
    )
    func replies(_ reply: SourceReply) throws {
        #expect(try SourceReply(reply.bytes) == reply)
        for count in 0..<reply.bytes.count {
            #expect(throws: SourceViolation.self) { try SourceReply(Array(reply.bytes.prefix(count))) }
        }
        #expect(throws: SourceViolation.malformed) { try SourceReply(reply.bytes + [0]) }
    }

    @Test(
        "Values out of bounds are refused",
        arguments: [
            SourceReply.opened(SourceState(byteCount: nil)), .opened(SourceState(byteCount: -2)),
            .opened(SourceState(byteCount: 1 << 62)), .opened(SourceState(byteCount: 1, tag: "a\"b")),
            .opened(SourceState(byteCount: 1, tag: String(repeating: "t", count: 129))),
        ]
    )
    func bounds(_ reply: SourceReply) {
        #expect(throws: SourceViolation.malformed) { try SourceReply(reply.bytes) }
    }

    @Test("Other versions, kinds and codes are refused")
    func unknown() {
        var bytes = SourceReply.opened(SourceState(byteCount: 1)).bytes
        bytes[8] = 2
        #expect(throws: SourceViolation.version(2)) { try SourceReply(bytes) }
        bytes[0] = 77
        #expect(throws: SourceViolation.kind(77)) { try SourceReply(bytes) }
        var failed = SourceReply.failed(id: 1, SourceProblem(.failed, "")).bytes
        failed[8] = 99
        #expect(throws: SourceViolation.problem(99)) { try SourceReply(failed) }
    }
}
