// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// Receives one message, then sends pieces. One piece is fetched ahead: each is requested when the stream takes the
/// piece before it.
final class StreamHandler: CallHandler {
    typealias Pieces = any PieceSource<[UInt8]>
    /// Decodes a request and returns a function that opens the source of the pieces.
    typealias Operation =
        (_ message: [UInt8], _ service: any EngineService) throws(EngineError) ->
        @Sendable () async throws(EngineError) -> Pieces

    private enum State {
        case idle
        /// The engine is opening the source of the pieces, or fetching a piece.
        case busy
        case ready([UInt8])
        case ended
    }

    private let core: ServerCore
    private let operation: Operation
    private var request: [UInt8]?
    private var call: ServerCall?
    /// The quota in which this call is counted.
    private var quota: ClientQuota?
    private var pieces: Pieces?
    private var state = State.idle
    private var task: Task<Void, Never>?

    init(core: ServerCore, operation: @escaping Operation) {
        self.core = core
        self.operation = operation
    }

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard request == nil else { return call.finish(.extraMessage) }
        request = message
    }

    func receiveEnd(on call: ServerCall) {
        guard let request else { return call.finish(.missingMessage) }
        guard let quota = call.connection?.quota, quota.takeTask() else {
            return call.finish(GRPCStatus(.resourceExhausted, "too many calls of this client are running"))
        }
        do throws(EngineError) {
            let open = try operation(request, core.service)
            self.call = call
            self.quota = quota
            state = .busy
            task = core.tasks.run(open) { self.opened($0) }
        } catch {
            quota.giveBackTask()
            call.finish(GRPCStatus(error))
        }
    }

    private func opened(_ result: Result<Pieces, EngineError>) {
        defer { releaseIfDone() }
        switch result {
        case .failure(let error):
            state = .ended
            call?.finish(GRPCStatus(error))
        case .success(let pieces):
            guard call != nil else {
                state = .ended
                return pieces.cancel()
            }
            self.pieces = pieces
            fetch()
        }
    }

    private func fetch() {
        guard let pieces else { return }
        state = .busy
        task = core.tasks.run { () throws(EngineError) in
            try await pieces.next()
        } completion: {
            self.fetched($0)
        }
    }

    private func fetched(_ result: Result<[UInt8]?, EngineError>) {
        defer { releaseIfDone() }
        switch result {
        case .success(let piece?):
            state = .ready(piece)
            call?.resume()
        case .success(nil):
            state = .ended
            call?.finish(.ok)
        case .failure(let error):
            state = .ended
            call?.finish(GRPCStatus(error))
        }
    }

    func nextMessage() -> [UInt8]? {
        guard case .ready(let piece) = state else { return nil }
        fetch()
        return piece
    }

    func callEnded() {
        pieces?.cancel()
        task?.cancel()
        pieces = nil
        call = nil
        request = nil
        releaseIfDone()
    }

    /// Returns the quota once the call has ended and no work runs. Cancelled work counts until it returns.
    private func releaseIfDone() {
        if case .busy = state { return }
        guard call == nil else { return }
        quota?.giveBackTask()
        quota = nil
    }
}

/// Encodes the pieces of another `PieceSource`.
final class FramedPieces<Piece: Sendable>: PieceSource {
    private let source: any PieceSource<Piece>
    private let encode: @Sendable (Piece) -> [UInt8]

    init(_ source: any PieceSource<Piece>, encode: @escaping @Sendable (Piece) -> [UInt8]) {
        self.source = source
        self.encode = encode
    }

    func next() async throws(EngineError) -> [UInt8]? { try await source.next().map(encode) }

    func cancel() { source.cancel() }
}
