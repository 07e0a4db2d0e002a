// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Finds and decodes the frame of one source that is shown at a given time.
///
/// Has its own demuxer and decoders. Not thread-safe: owned by one actor with its own thread.
final class FrameFinder {
    /// A decoded frame, and when it is shown.
    struct Found {
        let frame: VideoFrame
        let time: MediaTime
        /// `nil` if unknown.
        let duration: MediaTime?
        /// Requests for times from `time` up to, but not including, `end` find the same frame.
        let end: MediaTime
        /// The properties of the video that the frame belongs to.
        let video: VideoProperties
        /// The frame's Dolby Vision metadata, if the decoder does not return it.
        let mapping: DolbyVisionMapping?
    }

    /// The frames that are acceptable.
    enum Acceptance: Hashable {
        /// An undamaged frame at or before the time.
        case exact
        /// An undamaged frame; the first one may be after the time.
        case later
        /// Any frame, even one with missing references.
        case damaged
    }

    let facts: DecodingFacts
    let reader: SourceReader
    /// The plan of the source, which lists where it can be entered; `nil` if unknown.
    private(set) var plan: SegmentPlan?
    var decoding: FrameDecoding
    let isCancelled: () -> Bool

    /// - Parameters:
    ///   - reader: must be prepared for reading the packets of the video.
    ///   - isCancelled: called often; once it returns `true`, the current call fails with `cancelled`.
    init(reader: SourceReader, facts: DecodingFacts, plan: SegmentPlan?, isCancelled: @escaping () -> Bool) {
        self.reader = reader
        self.facts = facts
        self.plan = plan
        self.isCancelled = isCancelled
        decoding = FrameDecoding(facts)
    }

    /// The facts about the video that a packet belongs to: a list may continue in another codec.
    func facts(of packet: Packet?) -> DecodingFacts { packet.flatMap { facts.video(ofFormat: $0.format) } ?? facts }

    /// Takes a newer plan of the same source.
    func use(_ plan: SegmentPlan) { self.plan = plan }

    /// The frame shown at `time`. Before the first frame, the first one; after the end, the last one.
    ///
    /// - Throws: `noPlayableStream` when no frame of the source can be decoded.
    func frame(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var keyLimit = Int64.max
        while let entry = search.next() {
            guard let entrance = try enter(entry) else { continue }
            let run = try gather(target, from: entry, entrance, keyLimit: keyLimit)
            let isFirst = entry == .start && run.key == nil
            if let found = try decode(run, accepting: isFirst ? .later : .exact) { return found }
            // The frame may refer to frames before the random access point.
            if let key = run.key { keyLimit = key.time }
            search.failed(run)
        }
        for acceptance in [Acceptance.later, .damaged] {
            guard let entrance = try enter(.start) else { continue }
            let run = try gather(target, from: .start, entrance, keyLimit: .max)
            if let found = try decode(run, accepting: acceptance) { return found }
        }
        throw EngineError(.noPlayableStream, "no frame of \(reader.file.path) can be decoded")
    }

    /// The keyframe at or before `time`; if there is none, the first frame.
    func keyframe(at time: MediaTime) throws(EngineError) -> Found {
        guard facts.timing == .shown else { return try orderedKeyframe(at: time) }
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var behind = Int64.max
        while let entry = search.next() {
            guard let entrance = try enter(entry) else { continue }
            var run = PictureRun(target: target, reorderLimit: facts.reorderLimit, keepsAll: false)
            let next = try readKey(into: &run, entrance)
            if let key = run.key, !key.packet.isDiscarded,
                let frame = try decoding.alone(key, privateData: run.privateData)
            {
                // A frame that starts an intra refresh is not complete on its own.
                if frame.isDamaged || facts(of: key.packet).isGradual(key.packet), !key.packet.isCorrupt { break }
                let end = min(behind, run.nextKey?.time ?? .max, next ?? target &+ 1)
                return Found(
                    frame: frame,
                    time: facts.time(key.time),
                    duration: nil,
                    end: facts.time(max(end, target &+ 1)),
                    video: facts(of: key.packet).video,
                    mapping: facts(of: key.packet).dolbyVisionMapping(of: [key.packet])
                )
            }
            if entry == .start { break }
            behind = min(behind, run.nextKey?.time ?? .max)
            search.failed(run)
        }
        return try frame(at: time)
    }

    /// `keyframe(at:)` for sources whose presentation times must be derived from decoding order. A frame is never shown
    /// before its decode time, so no keyframe that is decoded after `time` is searched.
    private func orderedKeyframe(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var keyLimit = Int64.max
        while let entry = search.next() {
            guard let entrance = try enter(entry) else { continue }
            let enough = facts.reorderLimit + 2
            let run = try gather(target, from: entry, entrance, keyLimit: keyLimit, entryLimit: enough)
            if let key = run.key, facts.isGradual(key.packet) { break }
            if let (frame, shown) = try decodeKey(run), shown <= target, !frame.isDamaged {
                let end = min(keyLimit, run.nextKey?.time ?? target &+ 1)
                return Found(
                    frame: frame,
                    time: facts.time(shown),
                    duration: nil,
                    end: facts.time(max(end, target &+ 1)),
                    video: facts.video,
                    mapping: nil
                )
            }
            if let key = run.key { keyLimit = key.time }
            search.failed(run)
        }
        return try frame(at: time)
    }

    func stopIfCancelled() throws(EngineError) {
        if isCancelled() { throw EngineError(.cancelled, "the request was cancelled") }
    }
}
