// SPDX-License-Identifier: Apache-2.0

// Imported for the members of `struct stat`, which the compiler attributes to the first module that included it.
internal import CAlsa
internal import CSystemShims
internal import Glibc

/// A descriptor on which bytes arrive without being requested: a pipe, or a datagram socket.
///
/// Thread-safety: one thread reads; `interrupt` is safe from any.
package final class FeedDescriptor: Sendable {
    package enum Received: Hashable, Sendable {
        /// The received bytes; from a datagram socket, one datagram.
        case bytes([UInt8])
        /// The other end of the pipe is closed.
        case ended
        case interrupted
    }

    /// The address at which datagrams are received.
    package struct Address: Hashable, Sendable {
        /// The IPv4 address of a multicast group or of this machine; empty for any address of this machine.
        package let host: String
        package let port: UInt16
        /// The IPv4 address of the interface on which to join the group; empty lets the kernel choose.
        package let interface: String

        package init(host: String, port: UInt16, interface: String = "") {
            self.host = host
            self.port = port
            self.interface = interface
        }
    }

    private static let byteCount = 64 << 10
    /// The receive buffer requested from the kernel, for a reader that is late: half a second at 60 Mbit/s. The
    /// kernel's own limit may reduce it.
    private static let kernelByteCount: CInt = 4 << 20

    private let descriptor: CInt
    /// Whether an empty read means the end. On a datagram socket, it is an empty datagram, which anybody may send.
    private let endsWithEmptyRead: Bool
    /// A pipe: a byte in it ends the reader's waits.
    private let wake: (read: CInt, write: CInt)

    private init(_ descriptor: CInt, endsWithEmptyRead: Bool = true) throws(Errno) {
        var ends: [CInt] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            let error = Errno(in: "pipe")
            close(descriptor)
            throw error
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.descriptor = descriptor
        self.endsWithEmptyRead = endsWithEmptyRead
        wake = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(wake.read)
        close(wake.write)
    }

    /// Opens a named pipe for reading, without waiting for a writer.
    package static func pipe(at path: String) throws(Errno) -> FeedDescriptor {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            close(descriptor)
            throw Errno(code: EINVAL, in: "open")
        }
        return try FeedDescriptor(descriptor)
    }

    /// The standard input of this process.
    package static func standardInput() throws(Errno) -> FeedDescriptor {
        let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw Errno(in: "fcntl(F_DUPFD_CLOEXEC)") }
        return try FeedDescriptor(descriptor)
    }

    /// Opens a socket for the datagrams sent to an address, and joins its group if it is a multicast address.
    package static func datagrams(to address: Address) throws(Errno) -> FeedDescriptor {
        let descriptor = csystem_datagram_socket()
        guard descriptor >= 0 else { throw Errno(in: "socket") }
        let result = try FeedDescriptor(descriptor, endsWithEmptyRead: false)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = address.port.bigEndian
        if !address.host.isEmpty { place.sin_addr = try Self.parsed(address.host) }
        var size = kernelByteCount
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        let isGroup = UInt32(bigEndian: place.sin_addr.s_addr) >> 28 == 0xE
        if isGroup {
            // Other programs may receive the same group.
            var yes: CInt = 1
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        }
        let status = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Errno(in: "bind") }
        guard isGroup else { return result }
        var group = ip_mreq()
        group.imr_multiaddr = place.sin_addr
        if !address.interface.isEmpty { group.imr_interface = try Self.parsed(address.interface) }
        let joined = unsafe setsockopt(
            descriptor,
            CInt(IPPROTO_IP),
            IP_ADD_MEMBERSHIP,
            &group,
            socklen_t(MemoryLayout<ip_mreq>.size)
        )
        guard joined == 0 else { throw Errno(in: "setsockopt(IP_ADD_MEMBERSHIP)") }
        return result
    }

    private static func parsed(_ host: String) throws(Errno) -> in_addr {
        var address = in_addr()
        guard unsafe inet_pton(AF_INET, host, &address) == 1 else { throw Errno(code: EINVAL, in: "inet_pton") }
        return address
    }

    /// Ends the reader's current wait and all later ones.
    package func interrupt() {
        var byte: UInt8 = 1
        unsafe _ = write(wake.write, &byte, 1)
    }

    /// Blocks until bytes arrive, the pipe ends or `interrupt` is called.
    package func receive() throws(Errno) -> Received {
        assertMayBlock("read")
        while true {
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waits, 2, -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Errno(in: "poll") }
            if waits[1].revents != 0 { return .interrupted }
            var status = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
                status = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                count = max(0, status)
            }
            if status > 0 { return .bytes(bytes) }
            if status == 0, endsWithEmptyRead,
                waits[0].revents & Int16(POLLHUP) != 0 || waits[0].revents & Int16(POLLIN) != 0
            {
                return .ended
            }
            if status < 0, errno != EAGAIN, errno != EINTR { throw Errno(in: "read") }
        }
    }
}
