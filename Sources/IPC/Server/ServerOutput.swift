// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Flushes the connections that have bytes to send, each once per visit of the event loop. Used only there.
final class ServerOutput {
    private let loop: any EventLoop
    private var queue = FlushQueue<ServerConnection>()
    private var buffer = ByteBuffer()

    init(on loop: any EventLoop) { self.loop = loop }

    func schedule(_ connection: ServerConnection) {
        switch queue.add(connection) {
        case .wait: break
        case .visit: loop.assumeIsolated().execute { self.flush() }
        case .flush: flush()
        }
    }

    /// Flushes in batches while `body` gives many connections something to send.
    func inBatches(_ body: () -> Void) {
        queue.beginBatches()
        body()
        queue.endBatches()
        flush()
    }

    private func flush() {
        for connection in queue.take() { connection.flush() }
    }

    /// Lends one buffer that serves all connections: a socket usually takes the whole content at once, and the buffer
    /// is free again.
    func withBuffer<Result>(_ body: (inout ByteBuffer) -> Result) -> Result {
        var lent = ByteBuffer()
        swap(&lent, &buffer)
        defer { swap(&lent, &buffer) }
        return body(&lent)
    }
}
