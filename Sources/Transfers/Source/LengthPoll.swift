// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Waits at the end of a recording until more has been written. Asks the server how long the file is now: at most once
/// a second, for all readers that wait.
///
/// Thread-safety: safe. `awaitGrowth` blocks.
final class LengthPoll: Sendable {
    private struct State {
        var isAsking = false
        var last: Int64
    }

    /// The time between two questions, in nanoseconds. Helpers answer more frequent ones from memory.
    private static let interval: Int64 = 1_000_000_000

    private let scheduler: Locked<FetchScheduler>
    private let carrier: any TransferCarrier
    private let makeFetch: @Sendable (InterruptFlag) -> WholeFetch
    private let state = Locked(State(last: monotonicNanoseconds()))

    /// - Parameters:
    ///   - scheduler: the state of the source.
    ///   - carrier: carries the requests.
    ///   - makeFetch: makes the receiver of one request.
    init(
        _ scheduler: Locked<FetchScheduler>,
        by carrier: any TransferCarrier,
        _ makeFetch: @escaping @Sendable (InterruptFlag) -> WholeFetch
    ) {
        self.scheduler = scheduler
        self.carrier = carrier
        self.makeFetch = makeFetch
    }

    /// Waits until the file has the byte at an offset.
    ///
    /// - Returns: `false` if the file has ended before that byte, or does not grow.
    /// - Throws: `cancelled` after an interrupt; the failure of the source; the failure of a question, unless the
    ///   server may return.
    func awaitGrowth(past offset: Int64, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        let wake = WakeSignal()
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        while !hasByte(at: offset) {
            let (isGrowing, failure, path) = scheduler.withLock { ($0.isGrowing, $0.failure, $0.shownURL) }
            guard isGrowing else { return false }
            if let failure { throw EngineError(failure, path) }
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            try update(interrupt)
            if hasByte(at: offset) { break }
            wake.wait(atMost: Self.interval)
        }
        return true
    }

    private func hasByte(at offset: Int64) -> Bool { scheduler.withLock { offset < $0.byteCount } }

    private func update(_ interrupt: InterruptFlag) throws(EngineError) {
        let (request, byteCount) = scheduler.withLock { ($0.currentRequest, $0.byteCount) }
        do throws(EngineError) {
            guard let found = try ask(request, after: byteCount, interrupt) else { return }
            scheduler.withLock { $0.updateRecording(found, now: monotonicNanoseconds()) }
        } catch {
            // A server that is away for a while may return; a file that is gone does not.
            let mayPass = error.code == .sourceUnreachable || error.code == .sourceReadFailed
            let isLost = scheduler.withLock { $0.recording?.isLost(now: monotonicNanoseconds()) ?? true }
            if !mayPass || isLost { throw error }
        }
    }

    /// - Parameters:
    ///   - request: a request for the file.
    ///   - byteCount: the known length. Helpers are asked for the last of these bytes, because a range that begins at
    ///     the end has none; with SFTP and FTP, no bytes are needed.
    /// - Returns: the file's length, and its time and tag. `nil` if another reader is asking, or has asked less than a
    ///   second ago; unknown values if the answer is not a range of the file.
    private func ask(
        _ request: TransferRequest,
        after byteCount: Int64,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ResourceState? {
        let isTurn = state.withLock { state in
            guard !state.isAsking, monotonicNanoseconds() - state.last >= Self.interval else { return false }
            state.isAsking = true
            return true
        }
        guard isTurn else { return nil }
        defer { state.withLock { $0 = State(last: monotonicNanoseconds()) } }
        var request = request
        request.isExamination = request.url.scheme.isFile
        let range: RequestedRange =
            request.isExamination ? .whole : .bytes(max(0, byteCount - 1)..<max(1, byteCount))
        request.range = range
        (request.validator, request.fileByteCount, request.byteLimit) = (nil, nil, .max)
        let (head, _) = try makeFetch(interrupt).get(request, by: carrier, isUrgent: true)
        return switch RangeResponse(head, to: range, known: ResourceState()) {
        case .part(_, let state), .whole(let state), .notRanged(let state), .pastEnd(let state): state
        case .rangeIgnored, .changed, .redirect, .refused, .invalid: ResourceState()
        }
    }
}
