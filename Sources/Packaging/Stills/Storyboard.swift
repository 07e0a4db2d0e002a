// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Small pictures from all over a film on sheets, and a WebVTT file that says for each stretch of the timeline where on which
/// sheet its picture is (`#xywh=`, W3C Media Fragments §4.2.2). Pure: a function of the plan and the size of the pictures.
///
/// A picture is a key frame by which a player can wind, and stands for the time from there to the next one.
package struct Storyboard: Hashable, Sendable {
    package struct Cell: Hashable, Sendable {
        /// Where the picture is, on the timeline.
        package var start: MediaTime
        package var end: MediaTime
    }

    package static let columns = 5
    private static let rows = 5
    private static let longestSide = 160
    /// Seconds between pictures of a long film; a short one has more of them.
    private static let longestInterval: Int64 = 10_000_000
    private static let wantedCount: Int64 = 100

    package let cells: [Cell]
    /// Of a picture, in pixels.
    package let width: Int
    package let height: Int

    /// - Parameters:
    ///   - boundaries: where the key frames are, and last where the film ends. Ascending.
    ///   - video: of which the shape is taken. Pictures are never larger than they are shown.
    package init(boundaries: [MediaTime], video: VideoProperties) {
        let size = DisplaySize(video)
        let (shownWidth, shownHeight) = (max(1, size.width), max(1, size.height))
        let longer = max(shownWidth, shownHeight)
        let side = min(longer, Self.longestSide)
        width = max(1, (shownWidth * side + longer / 2) / longer)
        height = max(1, (shownHeight * side + longer / 2) / longer)
        cells = Self.cells(boundaries)
    }

    private static func cells(_ boundaries: [MediaTime]) -> [Cell] {
        guard let first = boundaries.first, let end = boundaries.last, first < end else { return [] }
        let interval = min((end - first).microseconds / wantedCount, longestInterval)
        var starts: [MediaTime] = []
        for boundary in boundaries.dropLast() where boundary < end {
            if let last = starts.last, (boundary - last).microseconds < max(1, interval) { continue }
            starts.append(boundary)
        }
        return starts.indices.map { index in
            Cell(start: starts[index], end: index + 1 < starts.count ? starts[index + 1] : end)
        }
    }

    package var sheetCount: Int { (cells.count + Self.columns * Self.rows - 1) / (Self.columns * Self.rows) }

    /// The pictures of one sheet, by rows. None of a sheet that is not there.
    package func cells(ofSheet index: Int) -> ArraySlice<Cell> {
        guard index >= 0, index < sheetCount else { return [] }
        let start = index * Self.columns * Self.rows
        return cells[start..<min(cells.count, start + Self.columns * Self.rows)]
    }

    /// The WebVTT file. Sheets are at prefix, number, `.jpg`.
    package func bytes(sheetPrefix: String) -> [UInt8] {
        var text = WebVTTWriter.header
        for (index, cell) in cells.enumerated() {
            let (sheet, place) = index.quotientAndRemainder(dividingBy: Self.columns * Self.rows)
            let (row, column) = place.quotientAndRemainder(dividingBy: Self.columns)
            let times = "\(CueClock.webVTT(cell.start.microseconds)) --> \(CueClock.webVTT(cell.end.microseconds))"
            let rectangle = "\(column * width),\(row * height),\(width),\(height)"
            text += "\(times)\n\(sheetPrefix)\(sheet).jpg#xywh=\(rectangle)\n\n"
        }
        return Array(text.utf8)
    }
}
