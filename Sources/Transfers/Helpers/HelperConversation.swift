// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import SourceWire

/// The engine's side of the source protocol (docs/sources.md) with one helper: the requests in flight, and the bytes
/// that they have delivered to each transfer. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
struct HelperConversation: Sendable {
    /// The maximum number of reads in flight. Each owns a slot of the memory.
    static let slots = 8
    static let slotByteCount = 2 << 20
    static let memoryByteCount = slots * slotByteCount
    /// The shortest read, unless fewer bytes are wanted.
    private static let smallestRead: Int64 = 256 << 10
    /// The time for which the known state of a source is used before it is requested again, in nanoseconds.
    private static let freshness: Int64 = 1_000_000_000

    /// The next step of a transfer.
    enum Step: Hashable {
        case begin(ResponseHead)
        /// Pass on these bytes of the memory.
        case bytes(Range<Int>)
        case end(TransferEnd)
    }

    private enum Phase: Equatable {
        case new
        case opening
        case open(SourceState)
    }

    private struct Read: Hashable {
        let slot: Int
        let count: Int
        let sentTime: Int64
        /// `nil` if no transfer waits for the answer any more.
        var job: UInt64?
    }

    /// One read of a transfer. The pieces of a transfer are in the order of the source.
    private struct Piece: Hashable {
        let id: UInt32
        let slot: Int
        /// `nil` until the answer has arrived.
        var count: Int?
    }

    private struct Job: Hashable {
        let range: RequestedRange
        let isUrgent: Bool
        /// The bytes that have not been requested yet.
        var rest: Range<Int64>
        var pieces: [Piece] = []
        /// The request for the source's state that must be answered first.
        var awaited: UInt32?
        var hasBegun = false
        var end: TransferEnd?
    }

    private var phase = Phase.new
    /// The URL that the source was opened with.
    private var url = ""
    /// The reason why the source was not opened. If this is set, the conversation is over.
    private(set) var failure: SourceRefusal?
    private var stateTime: Int64 = 0
    private var stateRequest: UInt32?
    private var jobs: [UInt64: Job] = [:]
    private var reads: [UInt32: Read] = [:]
    private var freeSlots = Set(0..<slots)
    private var outgoing: [SourceRequest] = []
    private var lastID: UInt32 = 0
    private var times = ReadTimes()
    private var lastAnswerTime: Int64 = 0

    /// Whether the source has not answered `open` yet.
    var isOpening: Bool { phase == .opening }

    /// Whether an answer is due.
    var isWaiting: Bool { isOpening || !reads.isEmpty || stateRequest != nil }

    /// The transfers, the urgent ones first.
    var transfers: [UInt64] {
        jobs.keys.sorted { first, second in
            let (one, other) = (jobs[first]?.isUrgent ?? false, jobs[second]?.isUrgent ?? false)
            return one == other ? first < second : one
        }
    }

    /// Begins the conversation with the first message, which opens the source.
    mutating func open(_ request: OpenRequest) {
        var request = request
        request.memoryByteCount = Self.memoryByteCount
        request.longestRead = Self.slotByteCount
        request.mostRequests = 2 * Self.slots
        outgoing.append(.open(request))
        url = request.url
        phase = .opening
    }

    mutating func add(_ job: UInt64, _ range: RequestedRange, isUrgent: Bool, now: Int64) {
        var new = Job(range: range, isUrgent: isUrgent, rest: 0..<0)
        if case .open(let state) = phase {
            new.rest = Self.bytes(of: range, in: state)
            if now - stateTime > Self.freshness { new.awaited = askForState() }
        }
        jobs[job] = new
    }

    private mutating func askForState() -> UInt32 {
        if let stateRequest { return stateRequest }
        let id = makeID()
        outgoing.append(.state(id: id))
        stateRequest = id
        return id
    }

    private mutating func makeID() -> UInt32 {
        lastID = lastID == .max ? 1 : lastID + 1
        return lastID
    }

    /// Forgets a transfer. Its reads keep their slots until they are answered.
    mutating func remove(_ job: UInt64) {
        guard let removed = jobs.removeValue(forKey: job) else { return }
        for piece in removed.pieces {
            if piece.count != nil {
                freeSlots.insert(piece.slot)
            } else {
                reads[piece.id]?.job = nil
                outgoing.append(.cancel(id: piece.id))
            }
        }
    }

    /// The messages to send now.
    mutating func takeRequests(now: Int64) -> [SourceRequest] {
        if case .open(let state) = phase {
            for id in transfers { ask(for: id, state, now: now) }
        }
        defer { outgoing = [] }
        return outgoing
    }

    private mutating func takeSlot() -> Int? {
        guard let slot = freeSlots.min() else { return nil }
        return freeSlots.remove(slot)
    }

    private mutating func ask(for id: UInt64, _ state: SourceState, now: Int64) {
        guard var job = jobs[id], job.end == nil else { return }
        // If a source can only be read once, from start to end, each answer determines where the next read begins, so
        // only one read is sent at a time. A transfer that no reader waits for gets at most half of the slots.
        let most = !state.isSeekable ? 1 : job.isUrgent ? Self.slots : Self.slots / 2
        let part = job.rest.upperBound == .max ? Int64(Self.slotByteCount) : Int64(job.rest.count) / 4
        let length = min(max(Self.smallestRead, times.efficientByteCount, part), Int64(Self.slotByteCount))
        while !job.rest.isEmpty, job.pieces.count < most, let slot = takeSlot() {
            let request = makeID()
            let count = min(length, job.rest.upperBound - job.rest.lowerBound)
            let position = slot * Self.slotByteCount
            outgoing.append(
                .read(id: request, offset: job.rest.lowerBound, count: Int(count), position: position)
            )
            reads[request] = Read(slot: slot, count: Int(count), sentTime: now, job: id)
            job.pieces.append(Piece(id: request, slot: slot))
            job.rest = job.rest.lowerBound + count..<job.rest.upperBound
        }
        jobs[id] = job
    }

    /// - Throws: if the message breaks the protocol, which ends the conversation.
    mutating func receive(_ message: [UInt8], now: Int64) throws(SourceViolation) {
        switch try SourceReply(message) {
        case .opened(let state):
            guard phase == .opening else { throw .unasked(id: 0) }
            (phase, stateTime) = (.open(state), now)
            for (id, job) in jobs { jobs[id]?.rest = Self.bytes(of: job.range, in: state) }
        case .state(let id, let state):
            guard id == stateRequest, case .open = phase else { throw .unasked(id: id) }
            (phase, stateTime, stateRequest) = (.open(state), now, nil)
            for job in jobs.keys where jobs[job]?.awaited == id { jobs[job]?.awaited = nil }
        case .data(let id, let count):
            guard let read = reads.removeValue(forKey: id) else { throw .unasked(id: id) }
            guard count <= read.count else { throw .tooMany(count: count, asked: read.count) }
            // Most helpers carry out one read after another, so a read begins when the previous one has been answered.
            times.add(byteCount: count, nanoseconds: now - max(read.sentTime, lastAnswerTime))
            lastAnswerTime = now
            answered(id, read, count)
        case .failed(let id, let problem): try failed(id, problem)
        }
    }

    private mutating func answered(_ id: UInt32, _ read: Read, _ count: Int) {
        guard let owner = read.job, var job = jobs[owner], case .open(let state) = phase,
            let index = job.pieces.firstIndex(where: { $0.id == id })
        else {
            freeSlots.insert(read.slot)
            return
        }
        job.pieces[index].count = count
        if state.isSeekable {
            if count < read.count { job.end = .refused(SourceRefusal(.changed, "it ends before its length")) }
        } else {
            let next = job.rest.lowerBound - Int64(read.count - count)
            job.rest = count == 0 ? next..<next : next..<job.rest.upperBound
        }
        jobs[owner] = job
    }

    private mutating func failed(_ id: UInt32, _ problem: SourceProblem) throws(SourceViolation) {
        let refusal = SourceRefusal(problem, of: url)
        let end = TransferEnd.refused(refusal)
        if id == 0, phase == .opening {
            failure = refusal
        } else if id == stateRequest {
            stateRequest = nil
            for job in jobs.keys where jobs[job]?.awaited == id { jobs[job]?.end = end }
        } else if let read = reads.removeValue(forKey: id) {
            freeSlots.insert(read.slot)
            guard let owner = read.job else { return }
            guard problem.kind != .cancelled else { throw .unasked(id: id) }
            jobs[owner]?.pieces.removeAll { $0.id == id }
            if jobs[owner]?.end == nil { jobs[owner]?.end = end }
        } else {
            throw .unasked(id: id)
        }
    }

    /// The next step of a transfer. `nil` if its next answer has not arrived.
    func step(of job: UInt64) -> Step? {
        guard let job = jobs[job] else { return nil }
        if let end = job.end { return .end(end) }
        guard case .open(let state) = phase, job.awaited == nil else { return nil }
        guard job.hasBegun else { return .begin(Self.head(of: job.range, in: state)) }
        guard let piece = job.pieces.first else { return job.rest.isEmpty ? .end(.complete) : nil }
        return piece.count.map { .bytes(piece.slot * Self.slotByteCount..<piece.slot * Self.slotByteCount + $0) }
    }

    /// Call when the step has been carried out.
    mutating func did(_ step: Step, of job: UInt64) {
        switch step {
        case .begin: jobs[job]?.hasBegun = true
        case .bytes: if let piece = jobs[job]?.pieces.removeFirst() { freeSlots.insert(piece.slot) }
        case .end: remove(job)
        }
    }
}

/// Ranges and heads: a source answers as an HTTP server would.
extension HelperConversation {
    private static func bytes(of range: RequestedRange, in state: SourceState) -> Range<Int64> {
        let all = 0..<(state.byteCount ?? .max)
        guard state.isSeekable else { return all }
        return switch range {
        case .whole: all
        case .from(let first): (first..<max(first, .max)).clamped(to: all)
        case .bytes(let range): range.clamped(to: all)
        case .last(let count): max(0, all.upperBound - count)..<all.upperBound
        }
    }

    private static func head(of range: RequestedRange, in state: SourceState) -> ResponseHead {
        var fields: [ResponseHead.Field] = []
        if !state.tag.isEmpty { fields.append(.init("ETag", "\"\(state.tag)\"")) }
        // In seconds, like the times of SFTP and FTP servers.
        if let modified = state.modified { fields.append(.init("Last-Modified", "\(modified)")) }
        guard state.isSeekable, range != .whole, let byteCount = state.byteCount else {
            if let byteCount = state.byteCount { fields.append(.init("Content-Length", "\(byteCount)")) }
            return ResponseHead(status: 200, fields: fields)
        }
        let bytes = bytes(of: range, in: state)
        let isPast = bytes.isEmpty
        let shown = isPast ? "*" : "\(bytes.lowerBound)-\(bytes.upperBound - 1)"
        fields.append(.init("Content-Range", "bytes \(shown)/\(byteCount)"))
        return ResponseHead(status: isPast ? 416 : 206, fields: fields)
    }
}

extension SourceRefusal {
    /// The text of a helper is passed to clients on one line, and without the query of the URL, which may hold a
    /// secret.
    fileprivate init(_ problem: SourceProblem, of url: String) {
        let kind: Kind =
            switch problem.kind {
            case .notFound: .notFound
            case .accessDenied: .accessDenied
            case .changed: .changed
            case .notReadable: .notReadable
            case .unreachable, .failed, .cancelled: .unreachable
            }
        let shown = url.isEmpty ? problem.text : problem.text.replacing(url, with: ShownURL.text(of: url))
        self.init(kind, ControlCharacters.escaped(shown))
    }
}
