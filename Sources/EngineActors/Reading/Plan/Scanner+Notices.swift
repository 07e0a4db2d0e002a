// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging

extension Scanner.Batch {
    /// Notices for the user about a finished scan.
    ///
    /// - Parameter path: the path of the source.
    package func notices(path: String) -> [Notice] {
        var notices: [Notice] = []
        if !plan.jumps.isEmpty {
            let text =
                "the clock of \(path) starts again \(plan.jumps.count) times; each time is a discontinuity, and the timeline "
                + "goes on"
            notices.append(Notice(.info, "plan.clock_jump", text))
        }
        if unfollowedJumps > 0 {
            let text =
                "the clock of \(path) jumps \(unfollowedJumps) times; what follows the first jump is packed into the last "
                + "segment"
            notices.append(Notice(.warning, "plan.clock_jump", text))
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
