// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Describes a still in one line.
struct StillText {
    let still: Still

    /// For example `1920x1080  at 62.041667 s  for 0.041667 s`.
    var line: String {
        let length = still.duration.map { "  for \(Self.seconds($0)) s" } ?? ""
        return "\(still.width)x\(still.height)  at \(Self.seconds(still.time)) s\(length)"
    }

    private static func seconds(_ time: MediaTime) -> String {
        let sign = time < .zero ? "-" : ""
        let microseconds = time.microseconds.magnitude
        let fraction = "\(microseconds % 1_000_000)"
        return "\(sign)\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
    }
}
