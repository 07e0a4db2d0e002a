// SPDX-License-Identifier: Apache-2.0

extension ASSEvent {
    /// An event read from a character-cell screen, as in teletext and captions: empty cells become spaces, and trailing
    /// spaces of lines are removed.
    package init?(screen line: String) {
        let spaced = line.split(separator: "\\h", omittingEmptySubsequences: false).joined(separator: " ")
        let rows = spaced.split(separator: "\\N", omittingEmptySubsequences: false).map { row in
            row[..<(row.lastIndex { $0 != " " }.map(row.index(after:)) ?? row.startIndex)]
        }
        self.init(rows.joined(separator: "\\N"))
    }
}
