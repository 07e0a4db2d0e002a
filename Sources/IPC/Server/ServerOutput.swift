// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Collects the connections that have bytes to send, and flushes them together. Used only on the event loop.
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

    /// Lends the one buffer that all connections share. A socket usually accepts its whole contents at once, so the
    /// buffer is free again when `body` returns.
    func withBuffer<Result>(_ body: (inout ByteBuffer) -> Result) -> Result {
        var lent = ByteBuffer()
        swap(&lent, &buffer)
        defer { swap(&lent, &buffer) }
        return body(&lent)
    }
}
