// SPDX-License-Identifier: Apache-2.0

// Imported for the members of `struct pollfd`, which the compiler attributes to the first module that included it.
internal import CAlsa
internal import CSystemShims
internal import Glibc

/// A connected socket that preserves message boundaries (`SOCK_SEQPACKET`, unix(7)). Sending and receiving never block.
///
/// Thread-safety: safe. Closed with this object.
package final class PacketSocket: Sendable {
    package enum Received: Hashable, Sendable {
        case message([UInt8])
        /// No message has arrived.
        case nothing
        /// The other end is closed.
        case ended
    }

    let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Two connected sockets: the first for this process, and the descriptor of the second for another process. The
    /// caller closes the descriptor.
    static func pair() throws(Errno) -> (PacketSocket, CInt) {
        var ends: [CInt] = [-1, -1]
        guard unsafe csystem_packet_pair(&ends) == 0 else { throw Errno(in: "socketpair") }
        return (PacketSocket(ends[0]), ends[1])
    }

    /// Makes two connected sockets, and gives the second one to another process.
    ///
    /// - Parameter give: receives the first socket and the descriptor of the second one, and sends the descriptor to
    ///   the other process; returns whether that process has received the descriptor.
    /// - Returns: the first socket. `nil` if the other process has not received the second one.
    package static func connected(_ give: (PacketSocket, CInt) -> Bool) throws(Errno) -> PacketSocket? {
        let (socket, other) = try pair()
        defer { close(other) }
        return give(socket, other) ? socket : nil
    }

    /// - Parameter shared: a descriptor that the message carries.
    /// - Returns: whether the message was sent. If not, the other end is closed or does not receive.
    package func send(_ message: [UInt8], with shared: CInt? = nil) -> Bool {
        let descriptors = shared.map { [$0] } ?? []
        let sent = unsafe csystem_send_with_descriptors(
            descriptor,
            message,
            message.count,
            descriptors,
            descriptors.count
        )
        return sent == message.count
    }

    /// Ends the connection for both ends.
    package func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Whether the connection has ended.
    package var isOver: Bool {
        var look = pollfd(fd: descriptor, events: 0, revents: 0)
        return unsafe poll(&look, 1, 0) > 0 && look.revents & Int16(POLLHUP) != 0
    }

    /// - Parameter limit: the length of the longest message. A longer one is cut off after `limit` + 1 bytes.
    package func receive(limit: Int) -> Received {
        var count = 0
        let message = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, filled in
            // Descriptors that come with the message are closed.
            var none = 0
            count = unsafe csystem_receive_with_descriptors(descriptor, buffer.baseAddress, buffer.count, nil, &none)
            filled = max(0, count)
        }
        if count < 0 { return errno == EAGAIN ? .nothing : .ended }
        return count == 0 ? .ended : .message(message)
    }
}

/// Lets one thread wait for a socket until another thread ends the wait.
///
/// Thread-safety: `wake` is safe; one thread at a time waits.
package final class SocketWaiter: Sendable {
    private let ends: (read: CInt, write: CInt)

    /// - Throws: when the process has no descriptors left.
    package init() throws(Errno) {
        var ends: [CInt] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw Errno(in: "pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// Ends the current wait, or the next one.
    package func wake() {
        var byte: UInt8 = 1
        unsafe _ = write(ends.write, &byte, 1)
    }

    /// Blocks until `socket` can be read, `wake` is called, or the time has passed.
    package func wait(for socket: PacketSocket?, atMost nanoseconds: Int64) {
        assertMayBlock("poll")
        // A negative descriptor is ignored.
        var waits = [
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = CInt(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        guard unsafe poll(&waits, 2, milliseconds) > 0, waits[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(ends.read, &bytes, bytes.count) == bytes.count {}
    }
}
