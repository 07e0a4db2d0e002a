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

    let facts: FilmFacts
    let reader: SourceReader
    /// Where the source can be entered, where that is known.
    var plan: SegmentPlan?
    var decoding: PictureDecoding
    let isCancelled: () -> Bool

    /// - Parameters:
    ///   - reader: at the start of the source.
    ///   - isCancelled: asked often; when it says so, the work at hand ends.
    init(reader: SourceReader, facts: FilmFacts, plan: SegmentPlan?, isCancelled: @escaping () -> Bool) {
        self.reader = reader
        self.facts = facts
        self.plan = plan
        self.isCancelled = isCancelled
        decoding = PictureDecoding(parameters: facts.parameters)
        prepare()
    }

    /// Reads the video only from now on.
    func prepare() {
        if facts.container.hasFramedPackets { reader.context.takePacketsAsTheyAre() }
        reader.context.keep(only: [facts.stream.index])
        reader.hasJumped()
    }

    /// The picture that is shown at `time`: the first one before it, the last one behind it.
    ///
    /// - Throws: `noPlayableStream` when the source holds no picture that can be decoded.
    func picture(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        while let entry = search.next() {
            guard let base = try enter(entry) else { continue }
            let run = try gather(target, from: entry, base: base)
            if let found = try decode(run, keepsAny: entry == .start) { return found }
            search.failed(run)
        }
        throw EngineError(.noPlayableStream, "no picture of \(reader.file.path) can be decoded")
    }

    /// The keyframe at or before `time`; the first picture where there is none.
    func keyframe(at time: MediaTime) throws(EngineError) -> Found {
        let target = facts.ticks(time)
        var search = EntrySearch(target: target, facts: facts, plan: plan)
        var behind = Int64.max
        while let entry = search.next() {
            guard let base = try enter(entry) else { continue }
            var run = PictureRun(target: target, reorderLimit: facts.reorderLimit, keepsAll: false)
            let next = try readKey(into: &run, base: base)
            if let key = run.key, !key.packet.isDiscarded,
                let frame = try decoding.alone(key, privateData: run.privateData)
            {
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

    func stopIfCancelled() throws(EngineError) {
        if isCancelled() { throw EngineError(.cancelled, "the picture is not wanted any more") }
    }
}
