// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import EngineActors

@Suite("A device of the sound server", .timeLimit(.minutes(10)))
struct DeviceSoundSinkTests {
    @Test("that is not there is a typed error")
    func nothing() async {
        await #expect(throws: EngineError.self) {
            _ = try await DeviceSoundSink.open("", of: "unix:/nonexistent/engine-test")
        }
    }
}
