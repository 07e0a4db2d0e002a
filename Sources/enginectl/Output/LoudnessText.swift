// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Describes the loudness of a track, one value per line.
struct LoudnessText {
    let loudness: Loudness

    var lines: String {
        let rows = [
            ("integrated", Self.level(loudness.integrated, "LUFS")),
            ("range", Self.level(loudness.range, "LU")),
            ("true peak", Self.level(loudness.truePeak, "dBTP")),
            ("measured", Words.time(loudness.duration, withMilliseconds: true)),
        ]
        return rows.map { name, value in "\(name)\(String(repeating: " ", count: 12 - name.count))\(value)" }
            .joined(separator: "\n")
    }

    /// For example `-23.0 LUFS`, or `silence`.
    private static func level(_ value: Double, _ unit: String) -> String {
        value == -.infinity ? "silence" : "\(Words.fixed(value, places: 1)) \(unit)"
    }
}
