// SPDX-License-Identifier: Apache-2.0

internal import Bindings
import EngineModel
import Packaging

/// Reads one segment of a source that consists of lists: the packets of the leading list's segment, and the packets of
/// the other lists at its time.
///
/// Used and dropped within one call of the demuxer that owns `reader`, on its thread.
struct ListSegmentReader {
    private var order: SegmentOrder
    private let list: ListReader
    private let reader: SourceReader
    /// As `OpenedSource.collectedTracks` returns them for the segment.
    private let tracks: [PlayedTrack]

    init(_ order: SegmentOrder, in list: ListReader, with reader: SourceReader) throws(EngineError) {
        self.order = order
        self.list = list
        self.reader = reader
        list.reads(arriving: order.cut.settled != nil)
        tracks = try order.source.collectedTracks(order.active, for: order.cut.index, of: order.plan, list)
        self.order.findCaptions(in: tracks[0].stream)
    }

    /// The read position is undefined afterwards.
    func material() throws(EngineError) -> SegmentMaterial {
        let lists = Dictionary(grouping: order.active) { list.list(of: order.source.tracks[$0].stream.index) }
        var material = try leading(Set(lists[0] ?? []))
        for (number, places) in lists where number > 0 {
            let parts = try parts(Set(places), in: number)
            for place in places { material.parts[place] = parts[place] }
        }
        material.captions = order.captions(in: material)
        return material
    }

    /// Reads the segment of the leading list, and the segments around it if a bridged track needs them or segments do
    /// not begin with keyframes.
    private func leading(_ places: Set<Int>) throws(EngineError) -> SegmentMaterial {
        let index = order.cut.index
        let isBridged = places.contains { tracks[$0].isBridged }
        let isAligned: Bool = tracks[0].kind == .audio ? true : try list.isAligned()
        if isBridged, !order.source.needsEarlierSegment(places) { try list.awaitNext(of: index) }
        // The frames of bridged audio continue across a discontinuity of the source.
        var crosses = isAligned && places.contains { order.source.tracks[$0].bridge != nil }
        var back = isBridged ? 1 : 0
        reader.keep(only: Set(places.flatMap { tracks[$0].streamIndexes }))
        while true {
            let first = max(0, index - back)
            let isCut = isBridged || !isAligned
            let next = isCut ? list.segments(from: first, throughNextOf: index, crossesClocks: crosses) : first...index
            list.enter(segments: next)
            var collector = ListCollector(
                cut: order.cut,
                tracks: tracks,
                active: places,
                isContiguous: first == 0,
                stopsAtPicture: order.stopsAtPicture,
                isAligned: isAligned
            )
            do throws(EngineError) {
                while let packet = try reader.readPacket(), !collector.add(packet) {}
            } catch {
                // The part after the discontinuity may not be playable.
                guard crosses, error.code == .segmentFailed else { throw error }
                crosses = false
                continue
            }
            if let material = collector.finish() { return material }
            // The previous segments may be shorter than what decoding needs.
            back *= 4
        }
    }

    /// Reads the packets of another list between the planned edges of the segment. That list's own segments have other
    /// edges.
    private func parts(_ places: Set<Int>, in number: Int) throws(EngineError) -> [SegmentMaterial.Part?] {
        var back = 0
        reader.keep(only: Set(places.map { tracks[$0].stream.index }))
        while true {
            let isFirst = try list.enter(
                list: number,
                at: order.cut.start.time,
                of: order.source.lead.stream.index,
                back: back
            )
            var collector = SegmentCollector(cut: order.cut, tracks: tracks, active: places, isContiguous: isFirst)
            var progress = SegmentCollector.Progress.more
            while progress == .more, let packet = try reader.readPacket() {
                progress = collector.add(packet)
            }
            if progress == .more { progress = collector.finish() }
            if progress == .complete || isFirst { return collector.material().parts }
            back = back == 0 ? 1 : back * 4
        }
    }
}
