// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension LoudnessStep {
    /// A level of silence, which is minus infinity, is `null`. Before the last step there are no levels.
    ///
    /// - Parameter showsProgress: whether `progress` is included.
    package func json(showsProgress: Bool = false) -> JSON {
        .object(
            ("progress", showsProgress ? .number(progress) : nil),
            ("stream", .integer(stream)),
            ("integrated_lufs", loudness.map { .number($0.integrated) }),
            ("range_lu", loudness.map { .number($0.range) }),
            ("true_peak_dbtp", loudness.map { .number($0.truePeak) }),
            ("duration_us", loudness.map { .integer($0.duration.microseconds) })
        )
    }
}
