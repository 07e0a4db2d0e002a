// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A running helper program, whose standard input is a socket to this process. The program is killed when this object
/// is released.
package final class HelperProcess: Sendable {
    package let socket: PacketSocket
    private let pid: pid_t

    /// Starts the program.
    ///
    /// - Parameter path: absolute.
    package init(_ path: String) throws(Errno) {
        let (socket, other) = try PacketSocket.pair()
        defer { close(other) }
        var pid: pid_t = 0
        guard unsafe csystem_spawn_on_socket(path, other, &pid) == 0 else { throw Errno(in: "posix_spawn") }
        self.socket = socket
        self.pid = pid
    }

    /// Kills the program, even if it is stopped, and waits until it has ended. The wait is short: the program holds
    /// nothing that the kernel has to wait for.
    deinit {
        kill(pid, SIGKILL)
        var status: CInt = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}

/// A program on disk.
package enum Executable {
    /// The folders that are searched for helper programs: that of this program, and those of packages.
    package static var helperFolders: [String] {
        let own = ownFolder.map { [$0, "\($0)/../libexec/engined"] } ?? []
        return own + ["/usr/local/libexec/engined", "/usr/libexec/engined"]
    }

    /// Whether this process may run the file.
    package static func exists(at path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// The folder of this process's program. `nil` if the kernel does not report it.
    package static var ownFolder: String? {
        let path = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, unsafe readlink("/proc/self/exe", start, buffer.count))
        }
        let folder = String(decoding: path, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        return folder.count > 1 ? folder.dropLast().joined(separator: "/") : nil
    }
}
