// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Bytes that the engine puts in front of a title, so that demuxers know all of its streams from the start.
struct TitleHead {
    private(set) var pieces: [DiscFile.Piece] = []
    private(set) var samples: [TitleTimeline.Sample] = []
    private(set) var byteCount: Int64 = 0

    /// Adds bytes that declare subtitles, or packets that are copied from a part of the title.
    ///
    /// - Parameter stretch: the index of that part; `nil` for subtitles.
    mutating func add(_ bytes: [UInt8], of stretch: Int? = nil) {
        guard !bytes.isEmpty else { return }
        var hash = StableHash()
        hash.add(bytes)
        let source = MemorySource(bytes, name: "the streams of a title", digest: hash.hexadecimal)
        pieces.append(DiscFile.Piece(source: source, range: 0..<Int64(bytes.count)))
        let range = byteCount..<byteCount + Int64(bytes.count)
        if let stretch { samples.append(TitleTimeline.Sample(range: range, stretch: stretch)) }
        byteCount = range.upperBound
    }
}
