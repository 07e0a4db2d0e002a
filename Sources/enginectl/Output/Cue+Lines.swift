// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Cue {
    /// Lines for the panel.
    var lines: [String] {
        switch content {
        case .text(let text): text.plain.split(separator: "\n").map { "» \($0)" }
        case .image(let image): ["» a bitmap of \(image.width) by \(image.height)"]
        case .nothing: []
        }
    }
}
