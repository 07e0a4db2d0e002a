// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire
internal import NIOCore

/// The client side of one gRPC call. Used only on the event loop.
///
/// Received messages are queued until they are read. When the queue is long, the stream's window is held back, so the
/// engine stops sending.
final class ClientCall {
    /// Queue lengths at which the window closes, and at which it opens again.
    private static let highWater = 16
    private static let lowWater = 4
    /// Limit of the request bytes that wait to be sent.
    private static let outgoingLimit = 256 << 10

    typealias Received = Result<[UInt8]?, EngineClientError>

    private weak var connection: ClientConnection?
    private var stream: Int32 = 0
    private var deframer: MessageDeframer
    private var incoming: [[UInt8]] = []
    private var heldWindow = 0
    private var waiter: ((Received) -> Void)?
    private var outgoing: [UInt8]
    private var sent = 0
    private var isOutgoingComplete: Bool
    private var room: (() -> Void)?
    private var status = GRPCStatus(.unknown)
    private var httpStatus = ""
    private var outcome: EngineClientError??
    private var deadline: Scheduled<Void>?

    /// - Parameter request: framed.
    /// - Parameter isComplete: whether nothing follows the request.
    init(request: [UInt8], isComplete: Bool) {
        outgoing = request
        isOutgoingComplete = isComplete
        deframer = MessageDeframer(limit: Int(Int32.max))
    }

    func opened(_ stream: Int32, on connection: ClientConnection) {
        self.stream = stream
        self.connection = connection
    }

    func startDeadline(_ timeout: Duration, on loop: any EventLoop) {
        deadline = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: timeout)) {
            self.abandon(EngineClientError(.deadlineExceeded, "the deadline passed"))
        }
    }

    // MARK: Responses

    /// The next message, `nil` after the last. One caller at a time.
    func receive(_ completion: @escaping (Received) -> Void) {
        if !incoming.isEmpty {
            let message = incoming.removeFirst()
            if incoming.count <= Self.lowWater { openWindow() }
            return completion(.success(message))
        }
        switch outcome {
        case .some(.some(let error)): completion(.failure(error))
        case .some(.none): completion(.success(nil))
        case .none: waiter = completion
        }
    }

    func receive(_ name: HeaderName, _ value: String) {
        switch name {
        case .status: httpStatus = value
        case .grpcStatus: status.code = Int(value).flatMap(GRPCStatusCode.init) ?? .unknown
        case .grpcMessage: status.message = PercentEncoding.decode(value)
        case .engineCode: status.engineCode = EngineError.Code(rawValue: value)
        case .engineCause: status.cause = PercentEncoding.decode(value)
        case .engineField: status.field = PercentEncoding.decode(value)
        default: break
        }
    }

    func receive(_ bytes: Span<UInt8>) {
        heldWindow += bytes.count
        do throws(GRPCFailure) {
            try deframer.receive(bytes) { incoming.append($0) }
        } catch {
            return abandon(EngineClientError(error.status))
        }
        if incoming.count < Self.highWater { openWindow() }
        if !incoming.isEmpty, let waiter {
            self.waiter = nil
            receive(waiter)
        }
    }

    func receiveEnd() {
        if httpStatus != "200" {
            end(EngineClientError(.unavailable, "the server returned HTTP status \(httpStatus)"))
        } else {
            end(status.code == .ok ? nil : EngineClientError(status))
        }
    }

    private func openWindow() {
        guard heldWindow > 0, let connection else { return }
        connection.session.consume(stream: stream, heldWindow)
        heldWindow = 0
        connection.scheduleFlush()
    }

    // MARK: Requests

    /// Adds to the request. `completion` runs when there is room for more, or at once if the call has ended.
    func send(_ framed: [UInt8], completion: @escaping () -> Void) {
        guard outcome == nil else { return completion() }
        outgoing += framed
        resume()
        if outgoing.count - sent <= Self.outgoingLimit { completion() } else { room = completion }
    }

    func sendEnd() {
        isOutgoingComplete = true
        resume()
    }

    func nextData(limit: Int) -> OutboundData {
        guard sent < outgoing.count else { return isOutgoingComplete ? .end(trailers: nil) : .later }
        let part = outgoing[sent..<min(outgoing.count, sent + limit)]
        sent += part.count
        if sent == outgoing.count {
            outgoing = []
            sent = 0
        }
        if outgoing.count - sent <= Self.outgoingLimit { takeRoom() }
        return .bytes(part)
    }

    private func resume() {
        connection?.session.resume(stream)
        connection?.scheduleFlush()
    }

    private func takeRoom() {
        let completion = room
        room = nil
        completion?()
    }

    // MARK: Ending

    /// Ends the call early, and resets its stream so that the engine stops its work.
    func abandon(_ error: EngineClientError) {
        guard outcome == nil else { return }
        connection?.session.reset(stream, code: .cancel)
        connection?.scheduleFlush()
        incoming = []
        end(error)
    }

    /// Has no effect on a call that has ended.
    func fail(_ error: EngineClientError) { end(error) }

    private func end(_ error: EngineClientError?) {
        guard outcome == nil else { return }
        outcome = .some(error)
        deadline?.cancel()
        deadline = nil
        takeRoom()
        if incoming.isEmpty, let waiter {
            self.waiter = nil
            receive(waiter)
        }
    }
}
