// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A filter chain that is rebuilt between two frames when what it was built for changes.
struct FilterStage: ~Copyable {
    private struct Key: Hashable {
        let description: String
        let shape: FrameShape
        /// Counts changes that do not show in the description.
        let edition: UInt64
    }

    private var key: Key?
    private var graph: FrameFilterGraph?
    private let threads: Int

    init(threads: Int) { self.threads = threads }

    /// Forgets earlier frames: the next one comes from another place of the source.
    mutating func flush() {
        key = nil
        graph = nil
    }

    /// - Parameters:
    ///   - description: as `FrameFilterGraph` takes it.
    ///   - edition: changes when the stills do.
    mutating func apply(
        _ picture: VideoFrame,
        of shape: FrameShape,
        by description: String,
        stills: [VideoFrame] = [],
        edition: UInt64 = 0
    ) throws(FFmpegError) -> VideoFrame {
        let wanted = Key(description: description, shape: shape, edition: edition)
        do throws(FFmpegError) {
            if key != wanted {
                flush()
                graph = try FrameFilterGraph.make(description, for: picture, stills: stills, threads: threads)
                key = wanted
            }
            // There is a graph whenever there is a key.
            guard let filtered = try graph?.apply(picture) else { return picture }
            return filtered
        } catch {
            flush()
            throw error
        }
    }
}
