// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Thumbnails from the whole source on sheets, and a WebVTT file that gives, for each part of the timeline, the sheet
/// and the position of its thumbnail (`#xywh=`, W3C Media Fragments §4.2.2). Pure: depends only on the plan and the
/// thumbnail size.
///
/// Each thumbnail is a trick-play keyframe, and represents the time from there to the next thumbnail.
package struct Storyboard: Hashable, Sendable {
    package struct Cell: Hashable, Sendable {
        /// The time of the thumbnail's frame, on the timeline.
        package var start: MediaTime
        package var end: MediaTime
    }

    package static let columns = 5
    private static let rows = 5
    private static let longestSide = 160
    /// Microseconds between thumbnails of a long source. Shorter sources have denser thumbnails.
    private static let longestInterval: Int64 = 10_000_000
    private static let wantedCount: Int64 = 100

    package let cells: [Cell]
    /// Size of a thumbnail, in pixels.
    package let width: Int
    package let height: Int

    /// - Parameters:
    ///   - boundaries: the times of the keyframes, followed by the end of the source. Ascending.
    ///   - video: determines the shape. Thumbnails are never larger than the video's display size.
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

    /// The thumbnails of one sheet, row by row. Empty if the sheet does not exist.
    package func cells(ofSheet index: Int) -> ArraySlice<Cell> {
        guard index >= 0, index < sheetCount else { return [] }
        let start = index * Self.columns * Self.rows
        return cells[start..<min(cells.count, start + Self.columns * Self.rows)]
    }

    /// The WebVTT file. The URI of a sheet is the prefix, its number and `.jpg`.
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
