// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging

extension SourceReader {
    /// Moves the demuxer to a boundary of a plan. Returns `false` when the container offers no way to get there.
    ///
    /// - Parameters:
    ///   - lead: the stream whose keyframe the boundary is.
    ///   - isIndexed: whether the container's own index contains the boundary.
    package func enter(_ boundary: Keyframe, lead: Int, isIndexed: Bool) throws(EngineError) -> Bool {
        do throws(FFmpegError) {
            if context.container.canStartAnywhere {
                try context.seek(byte: boundary.position)
            } else {
                if context.container.isMatroska, !isIndexed {
                    context.addIndexEntry(of: lead, timestamp: boundary.seekTimestamp, position: boundary.position)
                }
                try context.seek(stream: lead, atOrBefore: boundary.seekTimestamp)
            }
            hasJumped(to: context.container.canStartAnywhere ? boundary.position : 0)
            return true
        } catch {
            if error.isInterruption { throw EngineError(error, file: nil, .cancelled, "seeking in \(file.path)") }
            return false
        }
    }
}
