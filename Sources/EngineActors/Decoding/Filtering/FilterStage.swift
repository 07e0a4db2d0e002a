// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A filter chain that is rebuilt between two frames when its description, the frame shape or the stills change.
struct FilterStage: ~Copyable {
    private struct Key: Hashable {
        let description: String
        let shape: FrameShape
        /// Counts changes of the stills, which the description does not contain.
        let edition: UInt64
    }

    private var key: Key?
    private var graph: FrameFilterGraph?
    private let threads: Int

    init(threads: Int) { self.threads = threads }

    /// Forgets earlier frames, because the next frame does not follow them.
    mutating func flush() {
        key = nil
        graph = nil
    }

    /// - Parameters:
    ///   - description: the chain, in the syntax of `FrameFilterGraph`.
    ///   - edition: must change whenever `stills` change.
    mutating func apply(
        _ frame: VideoFrame,
        of shape: FrameShape,
        by description: String,
        stills: [VideoFrame] = [],
        edition: UInt64 = 0
    ) throws(FFmpegError) -> VideoFrame {
        let wanted = Key(description: description, shape: shape, edition: edition)
        do throws(FFmpegError) {
            if key != wanted {
                flush()
                graph = try FrameFilterGraph.make(description, for: frame, stills: stills, threads: threads)
                key = wanted
            }
            // `graph` is set whenever `key` is.
            guard let filtered = try graph?.apply(frame) else { return frame }
            return filtered
        } catch {
            flush()
            throw error
        }
    }
}
