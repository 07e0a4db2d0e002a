// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@Suite("Blocking input", .timeLimit(.minutes(10)))
struct BlockingInputTests {
    @Test("A signal that interrupts the wait does not end it")
    func interrupted() async throws {
        // Without SA_RESTART, `read` fails with EINTR when the handler returns.
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        unsafe sigaction(SIGUSR2, &action, nil)
        let pipe = Pipe()
        let thread = Locked<(id: pthread_t, name: String)?>(nil)
        let read = Locked<[UInt8]?>(nil)
        Thread.detachNewThread {
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = (pthread_self(), name ?? "") }
            let bytes = BlockingInput(pipe.fileHandleForReading.fileDescriptor).all()
            read.withLock { $0 = bytes }
        }
        try await eventually { thread.withLock { $0 != nil } }
        let reader = try #require(thread.withLock { $0 })
        for byte in UInt8(1)...3 {
            // The first field is the number of the system call in which the thread waits: 0 is `read`.
            let place = "/proc/\(reader.name)/syscall"
            try await eventually { try String(contentsOfFile: place, encoding: .utf8).hasPrefix("0 ") }
            pthread_kill(reader.id, SIGUSR2)
            try pipe.fileHandleForWriting.write(contentsOf: [byte])
        }
        try pipe.fileHandleForWriting.close()
        try await eventually { read.withLock { $0 != nil } }
        #expect(read.withLock { $0 } == [1, 2, 3])
    }

    @Test("An input that cannot be read ends")
    func failed() {
        // `read` fails with EBADF.
        #expect(BlockingInput(Pipe().fileHandleForWriting.fileDescriptor).next().isEmpty)
    }
}
