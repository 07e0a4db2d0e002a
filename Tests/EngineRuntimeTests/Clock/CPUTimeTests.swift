// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import EngineRuntime

@Suite("CPU time", .timeLimit(.minutes(5)))
struct CPUTimeTests {
    @Test("The work of a thread counts in its own time and in that of the process, but not in another thread's")
    func threads() async {
        let (worker, other) = (ReadingThread(), ReadingThread())
        let (process, before) = (processNanoseconds(), await other.run { threadNanoseconds() })
        let own = await worker.run { () -> Int64 in
            let start = threadNanoseconds()
            while threadNanoseconds() - start < 50_000_000 {}
            return threadNanoseconds() - start
        }
        let after = await other.run { threadNanoseconds() }
        #expect(own >= 50_000_000 && processNanoseconds() - process >= own)
        #expect(after >= before && after - before < 25_000_000)
    }
}
