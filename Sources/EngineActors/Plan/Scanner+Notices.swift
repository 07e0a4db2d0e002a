// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

extension Scanner.Batch {
    /// What a person would want to know of a walk that has ended.
    ///
    /// - Parameter path: of the source.
    func notices(path: String) -> [Notice] {
        var notices: [Notice] = []
        if clockJumps > 0 {
            let text =
                "the clock of \(path) jumps back \(clockJumps) times; what follows the first jump is packed into the last "
                + "segment"
            notices.append(Notice(.warning, "plan.clock_jump", text))
        }
        if !plan.changes.isEmpty {
            let text =
                "the video's parameter sets change \(plan.changes.count) times; each change is a discontinuity with an init "
                + "segment of its own"
            notices.append(Notice(.info, "video.parameter_sets_change", text))
        }
        if refusedChanges > 0 {
            let text =
                "\(refusedChanges) keyframes bring parameter sets that cannot be followed; they stay in the samples"
            notices.append(Notice(.warning, "video.parameter_sets_refused", text))
        }
        if audioChanges > 0 {
            let text =
                "the format of the sound changes \(audioChanges) times midway; what follows is served under the first format"
            notices.append(Notice(.warning, "audio.format_changes", text))
        }
        return notices
    }
}
