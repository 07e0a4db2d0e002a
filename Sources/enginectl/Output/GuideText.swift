// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension ProgramGuide {
    /// A line for each event, such as `now       "News" [ger], 2026-11-23 19:00:00 UTC for 15:00: Headlines`.
    var lines: [String] {
        [("now", present), ("next", following)].compactMap { name, event in
            event.map { "\(name)\(String(repeating: " ", count: 10 - name.count))\($0.line)" }
        }
    }
}

extension ProgramEvent {
    /// For example `"News" [ger], 2026-11-23 19:00:00 UTC for 15:00: Headlines`.
    var line: String {
        let language = language.isEmpty ? "" : " [\(language)]"
        let start = start.map { ", \(Words.date($0)) UTC" } ?? ""
        let length = duration.map { " for \(Words.time($0))" } ?? ""
        return Words.plain("\"\(title)\"\(language)\(start)\(length)\(text.isEmpty ? "" : ": \(text)")")
    }
}
