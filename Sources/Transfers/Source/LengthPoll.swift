// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Asks the server of a file how long the file is now: at most once a second, for all readers that wait at its end.
///
/// Thread-safety: safe. `ask` blocks.
final class LengthPoll: Sendable {
    /// The time between two questions, in nanoseconds. Helpers answer more frequent ones from memory.
    static let interval: Int64 = 1_000_000_000

    private struct State {
        var isAsking = false
        var last: Int64
    }

    private let makeFetch: @Sendable (InterruptFlag) -> WholeFetch
    private let state: Locked<State>

    /// - Parameter makeFetch: makes the receiver of one request.
    init(_ makeFetch: @escaping @Sendable (InterruptFlag) -> WholeFetch) {
        self.makeFetch = makeFetch
        state = Locked(State(last: monotonicNanoseconds()))
    }

    /// - Parameters:
    ///   - request: a request for the file.
    ///   - byteCount: the known length. Helpers are asked for the last of these bytes, because a range that begins at
    ///     the end has none; with SFTP and FTP, no bytes are needed.
    /// - Returns: the file's length, and its time and tag. `nil` if another reader has asked, or has asked less than a
    ///   second ago; unknown values if the answer is not a range of the file.
    func ask(
        _ request: TransferRequest,
        after byteCount: Int64,
        by carrier: any TransferCarrier,
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
