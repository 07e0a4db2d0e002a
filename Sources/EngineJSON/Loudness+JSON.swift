// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension LoudnessStep {
    /// A finished measurement. A level of silence, which is minus infinity, is `null`.
    package var json: JSON {
        .object(
            ("stream", .integer(stream)),
            ("integrated_lufs", loudness.map { .number($0.integrated) }),
            ("range_lu", loudness.map { .number($0.range) }),
            ("true_peak_dbtp", loudness.map { .number($0.truePeak) }),
            ("duration_us", loudness.map { .integer($0.duration.microseconds) })
        )
    }
}
