// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A chain of filters that is made anew when what it is made for changes, between two pictures.
struct FilterStage: ~Copyable {
    private struct Key: Hashable {
        let description: String
        let shape: PictureShape
        /// Counts what cannot be seen in the description.
        let edition: UInt64
    }

    private var key: Key?
    private var graph: PictureGraph?
    private let threads: Int

    init(threads: Int) { self.threads = threads }

    /// Forgets the pictures before: what follows is another place of the film.
    mutating func flush() {
        key = nil
        graph = nil
    }

    /// - Parameters:
    ///   - description: as `PictureGraph` takes it.
    ///   - edition: another one where the stills are others.
    mutating func apply(
        _ picture: VideoFrame,
        of shape: PictureShape,
        by description: String,
        stills: [VideoFrame] = [],
        edition: UInt64 = 0
    ) throws(FFmpegError) -> VideoFrame {
        let wanted = Key(description: description, shape: shape, edition: edition)
        do throws(FFmpegError) {
            if key != wanted {
                flush()
                graph = try PictureGraph.make(description, for: picture, stills: stills, threads: threads)
                key = wanted
            }
            // There is one whenever there is a key.
            guard let filtered = try graph?.apply(picture) else { return picture }
            return filtered
        } catch {
            flush()
            throw error
        }
    }
}
