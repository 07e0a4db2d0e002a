// SPDX-License-Identifier: Apache-2.0

@testable import EngineRuntime
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
        let pressure = try #require(MemoryPressure(.init(path: path, words: Array("some".utf8))))
        #expect(await pressure.isShort())
        let writer = try #require(FileHandle(forWritingAtPath: path))
        for _ in 0..<2 {
            try writer.write(contentsOf: Data(repeating: 7, count: 1000))
            #expect(await pressure.isShort())
        }
    }

    @Test("A path that cannot be opened or written is rejected", arguments: ["/nowhere/at/all", "/proc/version", "/"])
    func nobody(_ path: String) {
        #expect(MemoryPressure(.init(path: path, words: [1])) == nil)
    }

    @Test("Without any readable file there is nothing to wait for")
    func nothing() {
        #expect(MemoryPressure(trigger: -1, counters: ["/nowhere/memory.events"], averages: ["/nowhere", "/"]) == nil)
    }

    @Test(
        "Averages count as short from a tenth of the time on",
        arguments: [
            ("some avg10=10.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00\n", true),
            ("some avg10=9.99 avg60=80.00 avg300=80.00 total=5\nfull avg10=9.99 avg60=0.00\n", false),
            ("full avg10=90.00 avg60=0.00 avg300=0.00\n", false), ("some avg10=much\n", false), ("", false),
        ]
    )
    func averages(_ text: String, _ expected: Bool) {
        #expect(MemoryPressure.isHigh(text) == expected)
        #expect(!MemoryPressure.isHigh(nil))
    }

    @Test("A group is short of memory when it is over a limit, not when it is merely not protected")
    func events() {
        let text = "low 900\nhigh 1\nmax 20\noom 300\noom_kill 4000\noom_group_kill 50000\n"
        #expect(MemoryEvents(text).shortages == 4321)
        #expect(MemoryEvents("high many\nmax\n").shortages == 0)
    }
}
