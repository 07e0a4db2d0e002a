// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Wire

@Suite("Night mode, dialogue and level on the wire")
struct SoundTreatmentMessageTests {
    private func options(_ change: (inout Proto.SoundTreatment) -> Void) throws(EngineError) -> LoadOptions {
        var treatment = Proto.SoundTreatment()
        change(&treatment)
        var options = Proto.LoadOptions()
        options.sound = treatment
        return try LoadOptions(wire: options)
    }

    @Test("values at their limits are accepted; 0 and an absent message mean no change")
    func limits() throws {
        #expect(try LoadOptions(wire: Proto.LoadOptions()).sound.isIdentity)
        #expect(try options { _ in }.sound.isIdentity)
        for (lift, target) in [(12.0, -10.0), (0.5, -40), (0, -23)] {
            let sound = try options { ($0.dialogueDb, $0.loudnessLufs) = (lift, target) }.sound
            #expect(sound.dialogueLift == lift && sound.loudnessTarget == target && !sound.isNightMode)
        }
    }

    @Test("values out of range are rejected with the field's name", arguments: [12.01, -0.1, .nan, .infinity])
    func dialogue(lift: Double) {
        let error = #expect(throws: EngineError.self) { try options { $0.dialogueDb = lift } }
        #expect(error?.code == .invalidArgument && error?.message.contains("options.sound.dialogue_db") == true)
    }

    @Test("a loudness out of range is rejected", arguments: [-9.9, -40.1, 23, .nan, -.infinity])
    func loudness(target: Double) {
        let error = #expect(throws: EngineError.self) { try options { $0.loudnessLufs = target } }
        #expect(error?.code == .invalidArgument && error?.message.contains("options.sound.loudness_lufs") == true)
    }

    @Test("the levels that were found when a source was opened are not sent")
    func levels() throws {
        var options = LoadOptions()
        options.sound.loudnessTarget = -23
        options.soundLevels = [1: -20]
        let received = try LoadOptions(wire: options.wire)
        #expect(received.sound == options.sound && received.soundLevels == nil)
    }
}
