// SPDX-License-Identifier: Apache-2.0

extension ASSEvent {
    /// An event that was read off a screen of cells, as teletext and captions have it: empty cells are spaces, and none are
    /// left at the ends of lines.
    package init?(screen line: String) {
        let spaced = line.split(separator: "\\h", omittingEmptySubsequences: false).joined(separator: " ")
        let rows = spaced.split(separator: "\\N", omittingEmptySubsequences: false).map { row in
            row[..<(row.lastIndex { $0 != " " }.map(row.index(after:)) ?? row.startIndex)]
        }
        self.init(rows.joined(separator: "\\N"))
    }
}
