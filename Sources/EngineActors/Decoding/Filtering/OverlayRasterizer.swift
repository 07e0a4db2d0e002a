// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// Draws an overlay on its own low-priority thread. No frame waits for a drawing.
///
/// Never accesses a session. Created for one drawing, and released after it.
package actor OverlayRasterizer {
    private let executor = ThreadExecutor(name: "overlay", niceness: 5)
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    /// - Throws: `invalidArgument`, naming the field of the drawing.
    package func draw(_ drawing: OverlayDrawing, in size: Drawing.Size) throws(EngineError) -> VideoFrame {
        do throws(EngineError) { return try draw(drawing.document(), in: size) } catch {
            throw error.field.isEmpty
                ? EngineError(
                    .invalidArgument,
                    "\(drawing.field) cannot be drawn",
                    cause: error.cause,
                    field: drawing.field
                ) : error
        }
    }

    /// Draws a document whose text has already been checked.
    func draw(_ svg: String, in size: Drawing.Size) throws(EngineError) -> VideoFrame {
        do throws(FFmpegError) {
            return try Drawing.draw(
                Array(svg.utf8),
                in: size,
                isStretched: DrawingText.isStretched(svg)
            )
        } catch {
            throw EngineError(.invalidArgument, "the document cannot be drawn", cause: error.description)
        }
    }

    /// Scales and converts a drawing to fit frames if `fit` is given; otherwise returns it unchanged.
    func fit(_ drawing: VideoFrame, to fit: DrawingFit?) throws(EngineError) -> VideoFrame {
        guard let fit else { return drawing }
        do throws(FFmpegError) { return try fit.applied(to: drawing) } catch {
            throw EngineError(.internal, "the drawing cannot be scaled to the frame", cause: error.description)
        }
    }
}
