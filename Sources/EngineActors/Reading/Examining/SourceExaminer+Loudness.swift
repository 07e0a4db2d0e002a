// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension SourceExaminer {
    /// Adds the loudness of the source's audio streams to the options, as far as it has been measured. Options that do
    /// not need it, or already have it, are returned unchanged.
    func leveled(_ options: LoadOptions, by store: LoudnessStore) -> LoadOptions {
        guard options.sound.loudnessTarget != nil, options.soundLevels == nil else { return options }
        var levels: [Int: Double] = [:]
        for info in reader.streamInfos() where info.kind == .audio {
            levels[info.index] = store.load(reader.file.versionKey, stream: info.index)?.integrated
        }
        var options = options
        options.soundLevels = levels
        return options
    }
}
