// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation
import Testing

@Suite("Reports that memory is short", .timeLimit(.minutes(10)))
struct MemoryPressureTests {
    @Test("Any bytes in a FIFO are a report, each time they are written")
    func fifo() async throws {
        let path = NSTemporaryDirectory() + "pressure-\(UUID().uuidString)"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { unsafe unlink(path) }
        // The trigger that `init` writes is itself the first report, because a FIFO returns it.
        let pressure = try #require(MemoryPressure(path: path, words: Array("some".utf8)))
        #expect(await pressure.isShort())
        let writer = try #require(FileHandle(forWritingAtPath: path))
        for _ in 0..<2 {
            try writer.write(contentsOf: Data(repeating: 7, count: 1000))
            #expect(await pressure.isShort())
        }
    }

    @Test("A path that cannot be opened or written is rejected", arguments: ["/nowhere/at/all", "/proc/version", "/"])
    func nobody(_ path: String) {
        #expect(MemoryPressure(path: path, words: [1]) == nil)
    }
}
