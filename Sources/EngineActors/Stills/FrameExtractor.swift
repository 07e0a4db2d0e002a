// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Makes stills of one source, with its own demuxer and decoders, on a low-priority thread.
///
/// Never touches playback. Opens the source on the first request, and closes it after a while without requests. Owned
/// by a session, or by the pool for sources that are not loaded.
package actor FrameExtractor {
    enum Access {
        case closed
        case video(FrameFinder)
        /// The source has no video, only this cover.
        case cover(VideoFrame, VideoProperties)
    }

    /// The clock of a source that is not loaded, as far as it is known.
    private enum Clock {
        case unknown
        /// The clock runs evenly: a seek by time finds the frame.
        case even
        /// The clock restarts midway: the source is scanned from the start, as for playback.
        case walked(Scanner)
        /// The scan is complete: with this plan, the whole source has one clock.
        case planned(SegmentPlan)

        var plan: SegmentPlan? { if case .planned(let plan) = self { plan } else { nil } }
    }

    /// How long the source stays open without requests.
    private static let patience = Duration.seconds(10)
    private static let niceness = 2

    private let executor = ThreadExecutor(name: "stills", niceness: niceness)
    /// The source of the frames.
    nonisolated let origin: DecodingSource
    nonisolated let queue = Locked(StillQueue())
    nonisolated let cache = Locked(StillCache())
    nonisolated let interruptFlag = InterruptFlag()
    private let cancellation = CancellationFlag()
    private var access = Access.closed
    private var graphs = StillGraphs()
    private var idle = IdleTimer(patience)
    private var clock: Clock
    /// The number of requests that wait for the clock scan.
    private var waitingForClock = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(_ origin: DecodingSource) {
        self.origin = origin
        // Playback scans a loaded source for clock restarts, and callers pass its plan.
        clock = if case .opened = origin { .even } else { .unknown }
    }

    /// Shuts down permanently: current and later requests fail with `cancelled`. Safe from any thread.
    package nonisolated func shutDown() {
        queue.withLock { $0.close() }
        interruptFlag.raise()
        // The task waits only for the thread of this actor, whose running call has just been interrupted.
        Task { await close() }
    }

    /// Closes the source after the requests that are queued already. Callers must make no more requests. Safe from any
    /// thread.
    nonisolated func retire() {
        // The task waits only for the requests that this actor has queued before it; `shutDown` ends them early.
        Task { await close() }
    }

    /// Opens the source in advance, so that the first still takes less time.
    package func warm(plan: SegmentPlan?) throws(EngineError) {
        _ = try origin.file.verified { () throws(EngineError) in try open(plan) }
        closeWhenIdle()
    }

    /// Returns the still. Throws `cancelled` when a newer request replaces this request before its turn. For `arrival`,
    /// see `StillService.still`.
    package nonisolated func still(
        _ request: StillRequest,
        arrival: UInt64,
        plan: SegmentPlan?
    ) async throws(EngineError) -> Still {
        if let known = cache.withLock({ $0.still(for: request) }) { return known }
        return try await inTurn(request.kind, request.waitsItsTurn ? .inLine : .newest(arrival: arrival)) {
            extractor,
            ticket,
            flag throws(EngineError) in
            try extractor.make(request, ticket, flag, plan)
        }
    }

    /// Runs `work` on the extractor's thread when its turn comes.
    nonisolated func inTurn<Value: Sendable>(
        _ kind: StillRequest.Kind,
        _ turn: StillQueue.Turn,
        _ work:
            @escaping @Sendable (isolated FrameExtractor, StillQueue.Ticket, InterruptFlag) throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        let ticket = try queue.withLock { queue throws(EngineError) in try queue.take(kind, turn) }
        defer { queue.withLock { $0.giveBack(ticket) } }
        let flag = InterruptFlag()
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                return Result<Value, EngineError>.success(try await run(ticket, flag, work))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            flag.raise()
        }
        return try result.get()
    }

    private func run<Value: Sendable>(
        _ ticket: StillQueue.Ticket,
        _ flag: InterruptFlag,
        _ work: @Sendable (isolated FrameExtractor, StillQueue.Ticket, InterruptFlag) throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        try check(ticket, flag)
        cancellation.flag = flag
        defer { closeWhenIdle() }
        try await settleClock { () throws(EngineError) in try check(ticket, flag) }
        cancellation.flag = flag
        return try work(self, ticket, flag)
    }

    private nonisolated func check(_ ticket: StillQueue.Ticket, _ flag: InterruptFlag) throws(EngineError) {
        guard !flag.isUp, queue.withLock({ $0.isCurrent(ticket) }) else {
            throw EngineError(.cancelled, "superseded by a newer request")
        }
    }

    private func make(
        _ request: StillRequest,
        _ ticket: StillQueue.Ticket,
        _ flag: InterruptFlag,
        _ plan: SegmentPlan?
    ) throws(EngineError) -> Still {
        // A request before this one may have made the same still.
        if let known = cache.withLock({ $0.still(for: request) }) { return known }
        let (found, video) = try frame(request.kind, at: request.time, plan)
        let still = try StillMaking.still(
            found,
            of: video,
            style: request.style,
            path: origin.file.path,
            graphs: graphs
        )
        cache.withLock { $0.keep(still, until: found.end, for: request) }
        return still
    }

    /// The frame for a request, and the properties of its stream.
    func frame(
        _ kind: StillRequest.Kind,
        at time: MediaTime,
        _ plan: SegmentPlan?
    ) throws(EngineError) -> (FrameFinder.Found, VideoProperties) {
        try origin.file.verified { () throws(EngineError) in try find(kind, at: time, plan) }
    }

    private func find(
        _ kind: StillRequest.Kind,
        at time: MediaTime,
        _ plan: SegmentPlan?
    ) throws(EngineError) -> (FrameFinder.Found, VideoProperties) {
        switch try open(plan) {
        case .closed: throw EngineError(.internal, "the source was closed right after it was opened")
        case .cover(let frame, let video):
            let found = FrameFinder.Found(
                frame: frame,
                time: .zero,
                duration: nil,
                end: MediaTime(microseconds: .max),
                video: video,
                mapping: nil
            )
            return (found, video)
        case .video(let finder):
            if let plan = plan ?? clock.plan { finder.use(plan) }
            let found = try kind == .thumbnail ? finder.keyframe(at: time) : finder.frame(at: time)
            return (found, found.video)
        }
    }

    func open(_ plan: SegmentPlan?) throws(EngineError) -> Access {
        if case .closed = access {
            let examiner = try origin.examiner(interrupt: interruptFlag)
            let reader = examiner.reader
            let subject: StillSubject
            switch origin {
            case .file: subject = try .find(by: examiner)
            case .opened(let source): subject = try .of(source, in: reader)
            }
            switch subject {
            case .video(let facts):
                access = .video(
                    FrameFinder(reader: reader, facts: facts, plan: plan) { [cancellation, interruptFlag] in
                        cancellation.flag.isUp || interruptFlag.isUp
                    }
                )
            case .cover(let parameters, let stream):
                access = try .cover(StillMaking.cover(reader, parameters, stream), stream.video ?? VideoProperties())
            }
        }
        return access
    }

    // MARK: The clock of the source

    /// Determines whether the source's clock restarts, and scans the source if so. The requests that wait for the scan
    /// advance it, one step at a time; it pauses when no request waits.
    ///
    /// - Parameter check: throws when the request is no longer wanted.
    private func settleClock(_ check: @Sendable () throws(EngineError) -> Void) async throws(EngineError) {
        waitingForClock += 1
        defer { waitingForClock -= 1 }
        while true {
            switch clock {
            case .even, .planned: return
            case .unknown: clock = try origin.file.verified { () throws(EngineError) in try lookAtClock() }
            case .walked(let scanner):
                let batch = try await scanner.step()
                if case .walked = clock, batch.plan.isComplete { clock = .planned(batch.plan) }
                try check()
            }
        }
    }

    private func lookAtClock() throws(EngineError) -> Clock {
        guard case .video(let finder) = try open(nil), try finder.hasUnevenClock() else { return .even }
        let examiner = try origin.examiner(interrupt: interruptFlag)
        let source: OpenedSource
        do throws(EngineError) {
            source = try examiner.open(options: LoadOptions()).source
        } catch {
            // Only a playable source has a plan.
            guard error.code == .noPlayableStream else { throw error }
            return .even
        }
        guard source.lead.stream.index == finder.facts.stream.index else { return .even }
        return .walked(Scanner(source: source, target: LoadOptions().segmentTarget))
    }

    // MARK: Closing

    private func closeWhenIdle() {
        idle.restart { [weak self] in await self?.close() }
    }

    private func close() {
        idle.cancel()
        if case .walked = clock, waitingForClock == 0 { clock = .unknown }
        guard case .closed = access else {
            access = .closed
            graphs = StillGraphs()
            returnFreeMemory()
            return
        }
    }
}

/// The flag that cancels the current request. Thread-safety: safe.
private final class CancellationFlag: Sendable {
    private let current = Locked(InterruptFlag())

    var flag: InterruptFlag {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
