// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// Draws overlays, one at a time, on a thread of its own that no picture waits for.
///
/// Never touches a session; called by sessions and by whoever has pictures; owned by the engine.
package actor OverlayArtist {
    private let executor = ThreadExecutor(name: "overlays")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    /// - Throws: `invalidArgument` for the field `svg`.
    package func draw(_ svg: String, in size: Drawing.Size) throws(EngineError) -> VideoFrame {
        do throws(FFmpegError) {
            return try Drawing.draw(
                Array(svg.utf8),
                in: size,
                isStretched: DrawingText.isStretched(svg)
            )
        } catch {
            throw EngineError(.invalidArgument, "svg cannot be drawn", cause: error.description, field: "svg")
        }
    }

    /// The drawing as it is laid over pictures.
    package func draw(_ svg: String, in size: Drawing.Size, fitted fit: DrawingFit) throws(EngineError) -> VideoFrame {
        let drawing = try draw(svg, in: size)
        do throws(FFmpegError) { return try drawing.fitted(fit) } catch {
            throw EngineError(.internal, "the drawing cannot be fitted to the picture", cause: error.description)
        }
    }
}
