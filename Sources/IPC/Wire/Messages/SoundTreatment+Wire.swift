// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SoundTreatment {
    /// Decodes the field `sound` of a load's options.
    init(wire: Proto.SoundTreatment) throws(EngineError) {
        self.init()
        isNightMode = wire.nightMode
        guard Self.dialogueLifts.contains(wire.dialogueDb) else {
            throw .invalid("sound.dialogue_db", "must be from 0 to 12")
        }
        dialogueLift = wire.dialogueDb
        guard wire.loudnessLufs != 0 else { return }
        guard Self.loudnessTargets.contains(wire.loudnessLufs) else {
            throw .invalid("sound.loudness_lufs", "must be from -40 to -10")
        }
        loudnessTarget = wire.loudnessLufs
    }

    var wire: Proto.SoundTreatment {
        var wire = Proto.SoundTreatment()
        wire.nightMode = isNightMode
        wire.dialogueDb = dialogueLift
        wire.loudnessLufs = loudnessTarget ?? 0
        return wire
    }
}
