// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// Draws an overlay, on a thread of its own that no picture waits for and that lets others go first.
///
/// Never touches a session; made for one drawing, and gone with it.
package actor OverlayArtist {
    private let executor = ThreadExecutor(name: "overlay", niceness: 5)
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    /// - Throws: `invalidArgument` for the field of the drawing.
    package func draw(_ drawing: OverlayDrawing, in size: Drawing.Size) throws(EngineError) -> VideoFrame {
        let svg =
            switch drawing {
            case .svg(let svg): svg
            case .ass(let drawing): try drawing.document()
            }
        do throws(FFmpegError) {
            return try Drawing.draw(
                Array(svg.utf8),
                in: size,
                isStretched: DrawingText.isStretched(svg)
            )
        } catch {
            let field = drawing.field
            throw EngineError(.invalidArgument, "\(field) cannot be drawn", cause: error.description, field: field)
        }
    }

    /// The drawing as it is laid over pictures; where it is fitted to none, as it is.
    func fit(_ drawing: VideoFrame, to fit: DrawingFit?) throws(EngineError) -> VideoFrame {
        guard let fit else { return drawing }
        do throws(FFmpegError) { return try drawing.fitted(fit) } catch {
            throw EngineError(.internal, "the drawing cannot be fitted to the picture", cause: error.description)
        }
    }
}
