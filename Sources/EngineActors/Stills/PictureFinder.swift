// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds and decodes the pictures of one source by time.
///
/// Has its own demuxer and decoders. Not thread-safe: owned by one actor with a thread of its own.
final class PictureFinder {
    /// A decoded picture and when it is shown.
    struct Found {
        let frame: VideoFrame
        let time: MediaTime
        /// `nil` when nothing says how long.
        let duration: MediaTime?
        /// Up to where on the timeline the same request finds the same picture.
        let end: MediaTime
        /// Its Dolby Vision metadata, where the decoder does not hand it on.
        let mapping: DolbyVisionMapping?
    }

    /// Which picture will do.
    enum Acceptance: Hashable {
        /// One that is not behind the time, and whole.
        case exact
        /// One that is whole: the first there is may be behind the time.
        case later
        /// Any: also one whose references were never seen.
        case damaged
    }

    let facts: FilmFacts
    let reader: SourceReader
    /// Where the source can be entered, where that is known.
    var plan: SegmentPlan?
    var decoding: PictureDecoding
    let isCancelled: () -> Bool

    /// - Parameters:
    ///   - reader: set to read the packets of the video.
    ///   - isCancelled: asked often; when it says so, the work at hand ends.
    init(reader: SourceReader, facts: FilmFacts, plan: SegmentPlan?, isCancelled: @escaping () -> Bool) {
        self.reader = reader
        self.facts = facts
        self.plan = plan
        self.isCancelled = isCancelled
        decoding = PictureDecoding(parameters: facts.parameters)
    }

    /// The picture that is shown at `time`: the first one before it, the last one behind it.
    ///
    /// - Throws: `noPlayableStream` when the source holds no picture that can be decoded.
    func picture(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var keyLimit = Int64.max
        while let entry = search.next() {
            guard let base = try enter(entry) else { continue }
            let run = try gather(target, from: entry, base: base, keyLimit: keyLimit)
            let isFirst = entry == .start && run.key == nil
            if let found = try decode(run, accepting: isFirst ? .later : .exact) { return found }
            // What the picture refers to may lie before the random access point after all.
            if let key = run.key { keyLimit = key.time }
            search.failed(run)
        }
        for acceptance in [Acceptance.later, .damaged] {
            guard let base = try enter(.start) else { continue }
            let run = try gather(target, from: .start, base: base, keyLimit: .max)
            if let found = try decode(run, accepting: acceptance) { return found }
        }
        throw EngineError(.noPlayableStream, "no picture of \(reader.file.path) can be decoded")
    }

    /// The keyframe at or before `time`; the first picture where there is none.
    func keyframe(at time: MediaTime) throws(EngineError) -> Found {
        guard facts.timing == .shown else { return try orderedKeyframe(at: time) }
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var behind = Int64.max
        while let entry = search.next() {
            guard let base = try enter(entry) else { continue }
            var run = PictureRun(target: target, reorderLimit: facts.reorderLimit, keepsAll: false)
            let next = try readKey(into: &run, from: entry, base: base)
            if let key = run.key, !key.packet.isDiscarded,
                let frame = try decoding.alone(key, privateData: run.privateData)
            {
                // One that only begins to make a picture whole (intra refresh) is none by itself.
                if frame.isDamaged, !key.packet.isCorrupt { break }
                let end = min(behind, run.nextKey?.time ?? .max, next ?? target &+ 1)
                return Found(
                    frame: frame,
                    time: facts.time(key.time),
                    duration: nil,
                    end: facts.time(max(end, target &+ 1)),
                    mapping: facts.dolbyVisionMapping(of: [key.packet])
                )
            }
            if entry == .start { break }
            behind = min(behind, run.nextKey?.time ?? .max)
            search.failed(run)
        }
        return try picture(at: time)
    }

    /// The same where only the order of decoding says when pictures are shown: never before they are decoded.
    private func orderedKeyframe(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var keyLimit = Int64.max
        while let entry = search.next() {
            guard let base = try enter(entry) else { continue }
            let enough = facts.reorderLimit + 2
            let run = try gather(target, from: entry, base: base, keyLimit: keyLimit, entryLimit: enough)
            if let (frame, shown) = try decodeKey(run), shown <= target, !frame.isDamaged {
                let end = min(keyLimit, run.nextKey?.time ?? target &+ 1)
                return Found(
                    frame: frame,
                    time: facts.time(shown),
                    duration: nil,
                    end: facts.time(max(end, target &+ 1)),
                    mapping: nil
                )
            }
            if let key = run.key { keyLimit = key.time }
            search.failed(run)
        }
        return try picture(at: time)
    }

    func stopIfCancelled() throws(EngineError) {
        if isCancelled() { throw EngineError(.cancelled, "the picture is not wanted any more") }
    }
}
