// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
internal import Reading

extension FrameExtractor {
    /// Makes a contact sheet of pictures from the whole source. Each picture is a queue entry of its own, so other
    /// requests can run in between.
    ///
    /// - Parameters:
    ///   - duration: the duration of the source; `nil` if the caller does not know it.
    ///   - progress: called with the number of pictures that are done.
    package nonisolated func sheet(
        _ request: ContactSheetRequest,
        duration: MediaTime?,
        plan: SegmentPlan?,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws(EngineError) -> Still {
        let count = request.columns * request.rows
        var style = StillStyle()
        style.maximumWidth = request.cellWidth
        let cellStyle = style
        let length = try await inTurn(.thumbnail, waits: true) { extractor, _, _ throws(EngineError) in
            try extractor.length(duration, plan)
        }
        var cells: [ContactSheet.Cell] = []
        for time in ContactSheetTimes.times(count: count, of: length) {
            let cell = try await inTurn(.thumbnail, waits: true) { extractor, _, _ throws(EngineError) in
                try extractor.cell(at: time, style: cellStyle, plan)
            }
            cells.append(cell)
            progress(cells.count)
        }
        let drawn = cells
        return try await inTurn(.thumbnail, waits: true) { extractor, _, _ throws(EngineError) in
            try StillMaking.sheet(of: drawn, request, path: extractor.origin.file.path)
        }
    }

    private func length(_ known: MediaTime?, _ plan: SegmentPlan?) throws(EngineError) -> MediaTime {
        if let known { return known }
        // A request after the end returns the last picture.
        let (last, _) = try picture(.thumbnail, at: MediaTime(microseconds: 1 << 52), plan)
        return last.time
    }

    private func cell(
        at time: MediaTime,
        style: StillStyle,
        _ plan: SegmentPlan?
    ) throws(EngineError) -> ContactSheet.Cell {
        let (found, video) = try picture(.thumbnail, at: time, plan)
        do throws(StillError) {
            let frame = try StillRenderer.render(found.frame, of: video, style: style, mapping: found.mapping)
            return ContactSheet.Cell(frame: frame, time: found.time)
        } catch {
            throw EngineError(error, "a picture of \(origin.file.path) cannot be drawn")
        }
    }
}

/// The times of the pictures in a contact sheet. Pure.
enum ContactSheetTimes {
    /// The midpoints of equal parts of the source.
    static func times(count: Int, of length: MediaTime) -> [MediaTime] {
        (0..<count).map { index in
            let part = Int128(length.microseconds) * Int128(2 * index + 1) / Int128(2 * max(1, count))
            return MediaTime(microseconds: Int64(clamping: part))
        }
    }
}
