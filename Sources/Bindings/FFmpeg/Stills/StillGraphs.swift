// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Keeps the filter graph of the last still for the next one of the same kind, because building a graph takes
/// milliseconds.
///
/// Not thread-safe: owned by the actor that makes stills of one source.
package final class StillGraphs {
    private struct Kind: Hashable {
        let chain: String
        let width: Int
        let height: Int
        let format: CInt
    }

    private final class CachedGraph {
        let kind: Kind
        var graph: FilterGraph

        init(_ kind: Kind, _ graph: consuming FilterGraph) {
            self.kind = kind
            self.graph = graph
        }
    }

    private var cached: CachedGraph?

    package init() {}

    /// Passes one frame through `chain`, which must output each frame without waiting for later ones.
    func filtered(_ frame: VideoFrame, by chain: String) throws(FFmpegError) -> VideoFrame {
        let kind = Kind(
            chain: chain,
            width: frame.width,
            height: frame.height,
            format: frame.format.rawValue
        )
        let graph =
            if let cached, cached.kind == kind { cached } else { CachedGraph(kind, try Self.graph(chain, for: frame)) }
        // A graph that failed is not used again.
        cached = nil
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.graph.push(pointer) }
        let result = unsafe VideoFrame(taking: try graph.graph.pull())
        cached = graph
        return result
    }

    private static func graph(_ chain: String, for frame: VideoFrame) throws(FFmpegError) -> FilterGraph {
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(chain, for: pointer)
        }
    }
}
