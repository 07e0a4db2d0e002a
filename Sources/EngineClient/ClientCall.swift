// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire
internal import NIOCore

/// The client side of one gRPC call. Used only on the event loop.
final class ClientCall {
    typealias Received = Result<[UInt8]?, EngineClientError>

    private enum Progress {
        /// `waiter` is called with the next message, or with the end. It is `nil` unless a caller waits.
        case running(waiter: ((Received) -> Void)?)
        case ended(EngineClientError?)
    }

    private weak var connection: ClientConnection?
    private var stream: Int32 = 0
    private var progress = Progress.running(waiter: nil)
    private var messages = ResponseMessages()
    private var status = ResponseStatus()
    private var request: RequestBody
    /// Each is called once when there is room for more of the request.
    private var room: [() -> Void] = []
    private var deadline: Scheduled<Void>?

    /// - Parameter request: framed.
    /// - Parameter isComplete: whether nothing follows the request.
    init(request: [UInt8], isComplete: Bool) { self.request = RequestBody(request, isComplete: isComplete) }

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
        if let (message, window) = messages.next() {
            openWindow(window)
            return completion(.success(message))
        }
        switch progress {
        case .ended(let error?): completion(.failure(error))
        case .ended(nil): completion(.success(nil))
        case .running: progress = .running(waiter: completion)
        }
    }

    func receive(_ name: HeaderName, _ value: String) { status.receive(name, value) }

    func receive(_ bytes: Span<UInt8>) {
        do throws(GRPCFailure) {
            openWindow(try messages.receive(bytes))
        } catch {
            return abandon(EngineClientError(error.status))
        }
        if !messages.isEmpty, case .running(let waiter?) = progress {
            progress = .running(waiter: nil)
            receive(waiter)
        }
    }

    func receiveEnd() { end(status.failure) }

    private func openWindow(_ count: Int) {
        guard count > 0, let connection else { return }
        connection.session.consume(stream: stream, count)
        connection.scheduleFlush()
    }

    // MARK: Requests

    /// Adds a framed message to the request. `completion` runs when there is room for more, or at once if the call has
    /// ended.
    func send(_ framed: [UInt8], completion: @escaping () -> Void) {
        guard case .running = progress else { return completion() }
        request.append(framed)
        resume()
        if request.hasRoom { completion() } else { room.append(completion) }
    }

    func sendEnd() {
        request.complete()
        resume()
    }

    func nextData(limit: Int) -> OutboundData {
        let data = request.next(limit: limit)
        if request.hasRoom { signalRoom() }
        return data
    }

    private func resume() {
        connection?.session.resume(stream)
        connection?.scheduleFlush()
    }

    private func signalRoom() {
        let waiting = room
        room = []
        for completion in waiting { completion() }
    }

    // MARK: Ending

    /// Ends the call early, and resets its stream so that the engine stops its work.
    func abandon(_ error: EngineClientError) {
        guard case .running = progress else { return }
        connection?.session.reset(stream, code: .cancel)
        connection?.scheduleFlush()
        messages.removeAll()
        end(error)
    }

    /// Has no effect on a call that has ended.
    func fail(_ error: EngineClientError) { end(error) }

    private func end(_ error: EngineClientError?) {
        guard case .running(let waiter) = progress else { return }
        progress = .ended(error)
        deadline?.cancel()
        deadline = nil
        signalRoom()
        if let waiter { receive(waiter) }
    }
}
