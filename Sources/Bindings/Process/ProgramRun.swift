// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A program that runs until it has printed its output. Killed with this object.
///
/// Thread-safety: `kill` is safe from any thread; one thread reads.
package final class ProgramRun: Sendable {
    private let pid: pid_t
    private let output: CInt

    /// Starts the program, with no input and no error output.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - variable: `NAME=VALUE`, added to the environment.
    ///   - memoryLimit: of its address space, in bytes.
    ///   - secondLimit: of CPU time.
    package init(
        _ path: String,
        _ arguments: [String],
        variable: String,
        memoryLimit: Int,
        secondLimit: Int
    ) throws(Errno) {
        var pid: pid_t = 0
        var output: CInt = -1
        let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in 0...arguments.count { unsafe free(words[index]) } }
        let added = unsafe strdup(variable)
        defer { unsafe free(added) }
        let status = unsafe csystem_spawn_reading(
            path,
            words,
            added,
            UInt64(memoryLimit),
            UInt64(secondLimit),
            &output,
            &pid
        )
        guard status == 0 else { throw Errno(in: "posix_spawn") }
        self.pid = pid
        self.output = output
    }

    deinit {
        kill()
        close(output)
        var status: CInt = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    /// Ends the program, and with it a call of `read`. The process is reaped only when this object is released, so no
    /// other process can have its id until then.
    package func kill() { _ = Glibc.kill(pid, SIGKILL) }

    /// Blocks until the program closes its output, and returns what it has written.
    ///
    /// - Returns: `nil` if there are more bytes than the limit.
    package func read(limit: Int) -> [UInt8]? {
        assertMayBlock("read")
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }
}
