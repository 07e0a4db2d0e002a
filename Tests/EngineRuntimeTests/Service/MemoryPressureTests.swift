// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation
import Testing

@Suite("Being told that memory is short", .timeLimit(.minutes(10)))
struct MemoryPressureTests {
    @Test("A FIFO tells with any bytes, as often as it is written to")
    func fifo() async throws {
        let path = NSTemporaryDirectory() + "pressure-\(UUID().uuidString)"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { unsafe unlink(path) }
        // What it is told to count as short comes back to it first, as from any FIFO.
        let pressure = try #require(MemoryPressure(path: path, words: Array("some".utf8)))
        #expect(await pressure.isShort())
        let writer = try #require(FileHandle(forWritingAtPath: path))
        for _ in 0..<2 {
            try writer.write(contentsOf: Data(repeating: 7, count: 1000))
            #expect(await pressure.isShort())
        }
    }

    @Test("What cannot be opened tells nothing", arguments: ["/nowhere/at/all", "/proc/version", "/"])
    func nobody(_ path: String) {
        #expect(MemoryPressure(path: path, words: [1]) == nil)
    }
}
