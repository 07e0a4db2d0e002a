// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
internal import Reading

extension FrameExtractor {
    /// Makes a contact sheet of the whole source. Each frame takes its own turn in the queue, so other requests can
    /// run in between.
    ///
    /// - Parameters:
    ///   - duration: the duration of the source; `nil` if unknown.
    ///   - progress: called with the number of finished frames.
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
        let length = try await inTurn(.thumbnail, .inLine) { extractor, _, _ throws(EngineError) in
            try extractor.length(duration, plan)
        }
        var cells: [ContactSheet.Cell] = []
        for part in ContactSheetTimes.parts(count: count, of: length) {
            let cell = try await inTurn(.thumbnail, .inLine) { extractor, _, _ throws(EngineError) in
                try extractor.cell(of: part, style: cellStyle, plan)
            }
            cells.append(cell)
            progress(cells.count)
        }
        let drawn = cells
        return try await inTurn(.thumbnail, .inLine) { extractor, _, _ throws(EngineError) in
            try StillMaking.sheet(of: drawn, request, path: extractor.origin.file.path)
        }
    }

    private func length(_ known: MediaTime?, _ plan: SegmentPlan?) throws(EngineError) -> MediaTime {
        if let known { return known }
        // A request after the end returns the last frame.
        let (last, _) = try frame(.snapshot, at: MediaTime(microseconds: 1 << 52), plan)
        return last.time + (last.duration ?? .zero)
    }

    private func cell(
        of part: ContactSheetTimes.Part,
        style: StillStyle,
        _ plan: SegmentPlan?
    ) throws(EngineError) -> ContactSheet.Cell {
        var (found, video) = try frame(.thumbnail, at: part.middle, plan)
        if !part.has(keyframe: found.time) { (found, video) = try frame(.snapshot, at: part.middle, plan) }
        do throws(StillError) {
            let frame = try StillRenderer.render(found.frame, of: video, style: style, mapping: found.mapping)
            return ContactSheet.Cell(frame: frame, time: found.time)
        } catch {
            throw EngineError(error, "a frame of \(origin.file.path) cannot be drawn")
        }
    }
}

/// The times of the frames in a contact sheet. Pure.
enum ContactSheetTimes {
    /// One of the equal parts of the source.
    struct Part: Hashable {
        let start: MediaTime
        let middle: MediaTime

        /// Whether a keyframe at or before the middle of this part is in the part. Otherwise an earlier part may show
        /// that keyframe already, and this part shows the frame exactly at its middle.
        func has(keyframe time: MediaTime) -> Bool { time >= start }
    }

    static func parts(count: Int, of length: MediaTime) -> [Part] {
        func time(_ halves: Int) -> MediaTime {
            let part = Int128(length.microseconds) * Int128(halves) / Int128(2 * max(1, count))
            return MediaTime(microseconds: Int64(clamping: part))
        }
        return (0..<count).map { Part(start: time(2 * $0), middle: time(2 * $0 + 1)) }
    }
}
