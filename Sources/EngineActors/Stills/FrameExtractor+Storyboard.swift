// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
internal import Reading

extension FrameExtractor {
    /// Added to the start of a segment, so that rounding does not select the keyframe before the one that opens it.
    private static let inside = MediaTime(microseconds: 500)
    private static let quality = 80

    /// Makes one storyboard sheet. Each frame takes its own turn in the queue, so other requests can run in between.
    /// Ends soon after the task is cancelled.
    ///
    /// - Returns: a JPEG; `nil` for a sheet that does not exist.
    package nonisolated func sheet(
        _ index: Int,
        of storyboard: Storyboard,
        _ plan: SegmentPlan
    ) async throws(EngineError) -> [UInt8]? {
        var style = StillStyle()
        (style.maximumWidth, style.maximumHeight, style.quality) = (storyboard.width, storyboard.height, Self.quality)
        let sheetStyle = style
        var frames: [VideoFrame] = []
        for cell in storyboard.cells(ofSheet: index) {
            let time = cell.start + Self.inside
            frames.append(
                try await inTurn(.thumbnail, .inLine) { extractor, _, _ throws(EngineError) in
                    try extractor.shown(at: time, sheetStyle, plan)
                }
            )
        }
        guard !frames.isEmpty else { return nil }
        let drawn = frames
        return try await inTurn(.thumbnail, .inLine) { extractor, _, _ throws(EngineError) in
            try extractor.sheet(of: drawn, storyboard, sheetStyle)
        }
    }

    private func shown(
        at time: MediaTime,
        _ style: StillStyle,
        _ plan: SegmentPlan
    ) throws(EngineError) -> VideoFrame {
        let (found, video) = try frame(.thumbnail, at: time, plan)
        do throws(StillError) {
            return try StillRenderer.render(found.frame, of: video, style: style, mapping: found.mapping)
        } catch {
            throw EngineError(error, "a frame of \(origin.file.path) cannot be drawn")
        }
    }

    private func sheet(
        of frames: [VideoFrame],
        _ storyboard: Storyboard,
        _ style: StillStyle
    ) throws(EngineError) -> [UInt8] {
        var whole = style
        (whole.maximumWidth, whole.maximumHeight) = (nil, nil)
        do throws(StillError) {
            return try StillEncoder.encode(try Self.drawn(frames, storyboard), style: whole)
        } catch {
            throw EngineError(error, "a sheet of \(origin.file.path) cannot be drawn")
        }
    }

    private static func drawn(_ frames: [VideoFrame], _ storyboard: Storyboard) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            return try SpriteSheet.draw(
                frames,
                columns: Storyboard.columns,
                width: storyboard.width,
                height: storyboard.height
            )
        } catch {
            throw .library(error)
        }
    }
}
