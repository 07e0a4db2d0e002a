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
                "the timestamps of \(path) restart \(plan.jumps.count) times; each restart is a discontinuity, and the "
                + "timeline continues"
            notices.append(Notice(.info, "plan.clock_jump", text))
        }
        if unfollowedJumps > 0 {
            let text =
                "the timestamps of \(path) jump \(unfollowedJumps) times; media after the first jump is in the last "
                + "segment"
            notices.append(Notice(.warning, "plan.clock_jump", text))
        }
        if refusedChanges > 0 {
            let text =
                "\(refusedChanges) keyframes carry parameter sets that cannot be followed; they are left in the samples"
            notices.append(Notice(.warning, "video.parameter_sets_refused", text))
        }
        if audioChanges > 0 {
            let text =
                "the audio format changes \(audioChanges) times midway; the rest is served as the first format"
            notices.append(Notice(.warning, "audio.format_changes", text))
        }
        return notices
    }
}
