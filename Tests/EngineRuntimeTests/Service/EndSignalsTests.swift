// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Glibc
import Testing

@Suite("Signals that end the process", .timeLimit(.minutes(10)))
struct EndSignalsTests {
    @Test("A signal that is sent as soon as signals are watched is delivered")
    func atOnce() async {
        let signals = await EndSignals(isHangUpIncluded: true)
        for _ in 0..<20 {
            // A signal that nobody sends to end the tests.
            kill(getpid(), SIGHUP)
            #expect(await signals.next() == "SIGHUP")
        }
    }
}
