// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The links of chained Ogg (RFC 3533 §4): bitstreams that follow one another, each with a clock of its own. To seek, a
/// reader opens one link as if it were a file, because libavformat searches times on one clock, and decodes pages only
/// after the headers of their link.
struct OggLinks {
    /// For each link but the first, the start of a page before it and the start of a page in it.
    private var searches: [Range<Int64>] = []
    /// The first byte of each link that has been searched.
    private var starts: [Int: Int64] = [0: 0]
    /// The link that is open; `nil` while the whole file is.
    private var open: (number: Int, bytes: Range<Int64>)?

    /// The streams of the first link, once the file has been opened.
    var firstStreams: [StreamInfo]?

    /// Learns the links from a plan.
    mutating func follow(_ plan: SegmentPlan) {
        searches = plan.jumps.map { jump in
            let before = plan.boundaries.prefix(jump.firstSegment).last?.position ?? 0
            return min(before, jump.position)..<jump.position
        }
    }

    /// The position in the file of the first byte that the demuxer sees.
    var start: Int64 { open?.bytes.lowerBound ?? 0 }

    /// Call this when the demuxer has been opened for the whole file.
    mutating func close() { open = nil }

    /// The link after the open one, once the demuxer has reached its end. `nil` if there is none.
    mutating func next(in bytes: any ByteCursor) throws(EngineError) -> Range<Int64>? {
        guard let open, open.number < searches.count else { return nil }
        return try enter(open.number + 1, in: bytes)
    }

    /// The link that contains a byte. `nil` if the demuxer that is open can seek in it: there is only one link, or that
    /// link is open.
    mutating func link(at position: Int64, in bytes: any ByteCursor) throws(EngineError) -> Range<Int64>? {
        guard !searches.isEmpty else { return nil }
        let number = searches.prefix { $0.upperBound <= position }.count
        // The end of the last known link may have become known.
        if let open, open.number == number, open.bytes.upperBound < .max || number == searches.count { return nil }
        return try enter(number, in: bytes)
    }

    private mutating func enter(_ number: Int, in bytes: any ByteCursor) throws(EngineError) -> Range<Int64>? {
        guard let start = try start(of: number, in: bytes) else { return nil }
        let end = number < searches.count ? try self.start(of: number + 1, in: bytes) : nil
        let found = start..<max(start, end ?? .max)
        open = (number, found)
        return found
    }

    /// Goes from page to page to the last page before the search ends that begins a bitstream.
    private mutating func start(of number: Int, in bytes: any ByteCursor) throws(EngineError) -> Int64? {
        if let known = starts[number] { return known }
        let search = searches[number - 1]
        var offset = search.lowerBound
        while offset <= search.upperBound,
            let page = OggPage(try bytes.read(at: offset, count: OggPage.headerByteCount))
        {
            if page.isFirst { starts[number] = offset }
            offset += page.byteCount
        }
        return starts[number]
    }
}
