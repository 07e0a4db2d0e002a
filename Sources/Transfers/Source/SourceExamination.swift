// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Asks a server for the first byte of the resource with which an open source is to continue, and judges the answer as
/// the source would. The source itself does not change.
///
/// Thread-safety: safe, except that only one thread may call `run`.
final class SourceExamination: TransferClient {
    private struct State {
        var fetches = RunningFetches()
        var addresses: AddressPolicy
        var report: TransferReport?
    }

    /// The only request at a time.
    private static let id: UInt64 = 1

    private let source: HTTPSource
    private let configuration: HTTPSourceConfiguration
    private let comparesVersion: Bool
    private let asked: RequestedRange
    private let deadline: Deadline
    private let interrupt: InterruptFlag
    private let wake = WakeSignal()
    private let state: Locked<State>

    /// - Parameters:
    ///   - configuration: that with which the source is to continue.
    ///   - comparesVersion: whether the resource must be the version that the source has. If not, it may have changed,
    ///     as a playlist does.
    ///   - interrupt: ends the wait for the server.
    init(
        of source: HTTPSource,
        _ configuration: HTTPSourceConfiguration,
        comparesVersion: Bool,
        _ interrupt: InterruptFlag
    ) {
        self.source = source
        self.configuration = configuration
        self.comparesVersion = comparesVersion
        self.interrupt = interrupt
        // A file server states length and time without sending a byte.
        asked = configuration.request.url.scheme.isFile ? .whole : .bytes(0..<1)
        let silence = Duration.nanoseconds(configuration.stallLimits.stall)
        deadline = Deadline(in: configuration.request.settings.connectTimeout + silence)
        state = Locked(
            State(addresses: AddressPolicy(ownPorts: configuration.ownPorts, ledBy: configuration.leadingScope))
        )
    }

    /// Blocks until the server has answered, or has not answered within the time limits for connecting and for silence.
    /// A server that cannot be reached, is overloaded or sends something unexpected may return, and is not an error.
    ///
    /// - Throws: `sourceChanged` for another version of the resource; the error with which the source would fail at
    ///   once, such as `sourceRefused`; `cancelled` after an interrupt.
    func run(by carrier: any TransferCarrier) throws(EngineError) {
        var route = RedirectPolicy(configuration.request.url)
        while let end = try answer(to: route, by: carrier) {
            let wall = wallClockSeconds()
            switch end.outcome(wall: wall) {
            case .settled, .informed: return
            case .redirected:
                do throws(RedirectPolicy.Refusal) {
                    guard let head = end.report.facts.head else { throw .noLocation }
                    try route.follow(head)
                } catch {
                    throw failure(.redirect(error), end.detail)
                }
            case .retried(let cause):
                var recovery = SourceRecovery(RetryPolicy.Limits(), revival: .zero)
                let next = recovery.retry(cause, begunAfter: 0, isPinned: false, end.now, end.chance)
                guard case .giveUp(let kind) = next else { return }
                throw failure(end.cause(of: kind, wall: wall), end.detail)
            case .failed(.changed): throw contradiction(end)
            case .failed(let kind):
                let failure = SourceFailure(kind, end.detail)
                if failure.mayPass { return }
                throw EngineError(failure, configuration.request.url.shown)
            }
        }
    }

    /// - Returns: `nil` if the server did not answer in time.
    private func answer(
        to route: RedirectPolicy,
        by carrier: any TransferCarrier
    ) throws(EngineError) -> FetchEnd? {
        let shown = route.url.shown
        guard configuration.access.allows(route.url.origin.host) else { throw failure(.setting, shown) }
        let refusal = state.withLock { state in
            state.report = nil
            _ = state.fetches.remove(Self.id)
            state.fetches.add(Self.id, 0..<1, isUrgent: true, route, failures: 0)
            return state.addresses.judge(route)
        }
        if let refusal { throw failure(.address(refusal), shown) }
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        var request = route.request(configuration.request)
        (request.range, request.isExamination) = (asked, request.url.scheme.isFile)
        let limits = configuration.stallLimits
        let transfer = carrier.start(request, stallLimits: limits, isUrgent: true, for: self)
        while true {
            if let end = ended() { return end }
            if interrupt.isUp || deadline.hasPassed {
                carrier.cancel(transfer)
                if interrupt.isUp { throw EngineError(.cancelled, "examining \(shown) was cancelled") }
                return nil
            }
            wake.wait(atMost: Int64(deadline.remaining / .nanoseconds(1)))
        }
    }

    private func ended() -> FetchEnd? {
        state.withLock { state in
            guard let report = state.report, let fetch = state.fetches[Self.id] else { return nil }
            return FetchEnd(fetch: fetch, report: report, now: monotonicNanoseconds(), chance: 0)
        }
    }

    private func failure(_ kind: SourceFailure.Kind, _ detail: String) -> EngineError {
        EngineError(SourceFailure(kind, detail), configuration.request.url.shown)
    }

    private func contradiction(_ end: FetchEnd) -> EngineError {
        let (shown, expected) = (configuration.request.url.shown, source.state)
        guard case .changed(let found) = end.fetch.response else { return failure(.changed, end.detail) }
        return EngineError(
            .sourceChanged,
            "\(shown) is not the source that is in use, which has \(expected); its server has \(found)",
            cause: end.detail
        )
    }

    // MARK: On the transfer thread

    func allows(_ peer: TransferPeer) -> Bool {
        state.withLock { state in
            guard let hosts = state.fetches.hosts(to: Self.id) else { return false }
            let refusal = state.addresses.judge(peer, along: hosts)
            state.fetches.refused(Self.id, refusal)
            return refusal == nil
        }
    }

    func began(_ head: TransferHead) -> Bool {
        let response =
            comparesVersion ? source.judge(head, to: asked) : RangeResponse(head, to: asked, known: ResourceState())
        state.withLock { $0.fetches.answered(Self.id, response) }
        // The connection can be used again after one byte, but not after the start of a whole body.
        if case .part = response { return true }
        return false
    }

    func received(_ bytes: RawSpan) -> Bool { bytes.byteCount <= 1 }

    func wentQuiet() {}

    func ended(_ report: TransferReport) {
        state.withLock { $0.report = report }
        wake.call()
    }
}

extension ResourceState: CustomStringConvertible {
    /// The properties in words.
    package var description: String {
        let length = byteCount.map { "\($0) bytes" } ?? "no stated length"
        let tag = (self.tag ?? weakTag).map { ", the entity tag \($0)" } ?? ""
        return length + tag + (modified.map { ", the time \($0)" } ?? "")
    }
}
