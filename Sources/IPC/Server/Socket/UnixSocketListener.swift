// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import EngineModel
internal import Glibc
package import Wire

/// A listening Unix socket, and the lock that reserves it for this engine.
///
/// The lock is taken before an existing socket is touched, so of two engines that start at the same time one is
/// rejected. An existing socket is unlinked only if no process listens on it.
package final class UnixSocketListener: Sendable {
    private let file: FilePath
    /// Listening and non-blocking; mode 0600 unless it was inherited. The server that uses it closes it.
    let descriptor: CInt
    /// `nil` for an inherited socket (its creator decides who may use it) and for a side socket.
    private let lock: CInt?
    /// Whether this is a side socket, named after a main socket that holds the lock or was inherited.
    private let isBeside: Bool

    /// - Throws: `unavailable` if another engine holds the lock or another process listens there; `invalidArgument` if
    ///   the path is not usable; `sourceAccessDenied` if permissions or the directory's mode forbid it;
    ///   `resourceExhausted` or `internal` if a system call fails for another reason.
    package init(_ place: SocketPath) throws(EngineError) {
        if place.ownsDirectory { try Self.prepareDirectory(place.directory) }
        let lock = try Self.takeLock(place.lockPath)
        do throws(EngineError) {
            try Self.removeStaleSocket(place.file)
            descriptor = try Self.listen(place.file)
        } catch {
            Glibc.close(lock)
            throw error
        }
        file = place.file
        isBeside = false
        self.lock = lock
    }

    /// Adopts a socket on which a service manager already listens (sd_listen_fds(3)). Its file stays when the engine
    /// ends.
    ///
    /// - Throws: `invalidArgument` if it is not a listening Unix stream socket.
    package init(adopting descriptor: CInt) throws(EngineError) {
        guard csystem_is_listening(descriptor, AF_UNIX) else {
            throw EngineError(.invalidArgument, "descriptor \(descriptor) is not a listening Unix socket")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.descriptor = descriptor
        file = Self.name(of: descriptor)
        isBeside = false
        lock = nil
    }

    /// Creates the side socket, for data that gRPC cannot carry. Its name belongs to this engine alone, because the
    /// engine holds the lock of the main socket or has inherited that socket.
    ///
    /// - Throws: `invalidArgument` if the main socket has no path or its name leaves no room for the side socket's;
    ///   otherwise as for a main socket, except for the lock.
    init(beside main: UnixSocketListener) throws(EngineError) {
        guard let name = SocketPath.sidePath(beside: main.file) else {
            throw EngineError(.invalidArgument, "\(main.path) is too long to name a side socket beside it")
        }
        try Self.removeStaleSocket(name)
        descriptor = try Self.listen(name)
        file = name
        isBeside = true
        lock = nil
    }

    /// As in `FilePath.text`; empty if the socket has no name.
    package var path: String { file.text }

    deinit {
        if let lock { Glibc.close(lock) }
    }

    /// Removes the socket's file. The lock file stays: removing it would let two engines hold two locks. The file of an
    /// inherited socket also stays, because this process did not create it.
    package func removeName() {
        if lock != nil || isBeside { _ = unsafe unlink(file.cString) }
    }

    /// The path to which a socket is bound; empty if it has none (`getsockname`).
    private static func name(of descriptor: CInt) -> FilePath {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe getsockname(descriptor, generic, &size)
            }
        }
        guard status == 0 else { return FilePath([]) }
        return unsafe withUnsafeBytes(of: &address.sun_path) { bytes in
            unsafe FilePath(Array(bytes.prefix { $0 != 0 }))
        }
    }

    private static func prepareDirectory(_ path: FilePath) throws(EngineError) {
        if unsafe mkdir(path.cString, 0o700) != 0, errno != EEXIST { throw failure("mkdir", path) }
        var status = stat()
        guard unsafe lstat(path.cString, &status) == 0 else { throw failure("lstat", path) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o777 == 0o700 else {
            throw EngineError(
                .sourceAccessDenied,
                "\(path) must be a directory of user \(geteuid()) with mode 0700; it has mode "
                    + "\(String(status.st_mode & 0o7777, radix: 8)) and belongs to \(status.st_uid)"
            )
        }
    }

    private static func takeLock(_ path: FilePath) throws(EngineError) -> CInt {
        let lock = unsafe open(path.cString, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw failure("open", path) }
        if flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let isHeld = errno == EWOULDBLOCK
            let error = failure("flock", path)
            Glibc.close(lock)
            throw isHeld ? EngineError(.unavailable, "another engine is running: it holds \(path)") : error
        }
        return lock
    }

    private static func removeStaleSocket(_ path: FilePath) throws(EngineError) {
        var status = stat()
        guard unsafe lstat(path.cString, &status) == 0 else {
            if errno == ENOENT { return }
            throw failure("lstat", path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw EngineError(.invalidArgument, "\(path) exists and is not a socket")
        }
        let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw failure("socket", path) }
        defer { Glibc.close(probe) }
        let status2 = unsafe withSocketAddress(path) { unsafe connect(probe, $0, $1) }
        if status2 == 0 { throw EngineError(.unavailable, "another process is listening on \(path)") }
        guard errno == ECONNREFUSED else { throw failure("connect", path) }
        guard unsafe unlink(path.cString) == 0 else { throw failure("unlink", path) }
    }

    private static func listen(_ path: FilePath) throws(EngineError) -> CInt {
        let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { throw failure("socket", path) }
        do throws(EngineError) {
            // Linux gives the new file the mode of the socket, so there is no moment in which other users can connect.
            guard fchmod(descriptor, 0o600) == 0 else { throw failure("fchmod", path) }
            guard unsafe withSocketAddress(path, { unsafe bind(descriptor, $0, $1) }) == 0 else {
                throw failure("bind", path)
            }
            guard Glibc.listen(descriptor, 4096) == 0 else { throw failure("listen", path) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Converts `errno` after a call that failed on `path`.
    private static func failure(_ call: String, _ path: FilePath) -> EngineError {
        let number = errno
        let code: EngineError.Code =
            switch number {
            case EACCES, EPERM, EROFS, ELOOP: .sourceAccessDenied
            case ENOENT, ENOTDIR, EADDRINUSE: .invalidArgument
            case EMFILE, ENFILE, ENOMEM, ENOSPC: .resourceExhausted
            default: .internal
            }
        return EngineError(code, "no socket at \(path)", cause: "\(call): \(unsafe String(cString: strerror(number)))")
    }
}
