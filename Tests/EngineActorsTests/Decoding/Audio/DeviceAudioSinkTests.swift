// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("An audio device", .timeLimit(.minutes(10)))
struct DeviceAudioSinkTests {
    @Test("that does not exist fails with a typed error")
    func nothing() async {
        for (name, way) in [("nobody", "PulseAudio"), ("alsa:engine-test-nobody", "snd_pcm_open")] {
            await #expect {
                _ = try await DeviceAudioSink.open(name, of: "unix:/nonexistent/engine-test")
            } throws: { error in
                guard let error = error as? EngineError else { return false }
                return error.code == .unavailable && error.message.contains(name) && "\(error)".contains(way)
            }
        }
    }
}
