// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments

/// The smaller sizes of a session's video that players have requested. Each has its own demuxer and segments, and the plan
/// of the session.
struct SessionLadder {
    /// By `SourceVariant.index`.
    private var rungs: [Int: OpenedMedia] = [:]

    /// The number of rungs that are open.
    var count: Int { rungs.count }

    /// A rung, which is opened on the first call.
    ///
    /// - Parameters:
    ///   - lead: the source whose rung it is.
    ///   - targetDuration: of the source's own playlist.
    ///   - budget: the bytes that its finished segments may take.
    /// - Returns: `nil` if the source has no such rung.
    mutating func rung(
        _ index: Int,
        of lead: OpenedMedia,
        targetDuration: Int,
        _ options: LoadOptions,
        budget: Int
    ) -> OpenedMedia? {
        if let known = rungs[index] { return known }
        guard let source = lead.source.rung(index) else { return nil }
        let ends = Array(lead.trackEnds.prefix(source.tracks.count))
        let producer = SegmentProducer(
            source: source,
            demuxers: SegmentDemuxers(Demuxer(name: "variant-\(index)", source: source), of: source),
            plan: lead.plan,
            trackEnds: ends,
            budget: budget,
            target: options.segmentTarget,
            subtitles: lead.burner,
            onReport: { _ in }
        )
        var media = OpenedMedia(source, producer, plan: lead.plan, trackEnds: ends, audio: AudioTracks(source))
        media.seal(targetDuration: targetDuration)
        rungs[index] = media
        return media
    }

    /// The rungs whose plans `batch` extends, with the extended plans.
    func grown(by batch: Scanner.Batch, at now: Int64) -> [(index: Int, media: OpenedMedia)] {
        rungs.compactMap { index, rung in rung.grown(by: batch, at: now).map { (index, $0) } }
    }

    mutating func replace(_ index: Int, with media: OpenedMedia) { if rungs[index] != nil { rungs[index] = media } }

    /// - Parameter bytes: the limit for the finished segments of each rung.
    func setBudget(_ bytes: Int) async {
        for rung in rungs.values { await rung.producer.setBudget(bytes) }
    }

    /// Ends the production of all rungs. May be called again.
    ///
    /// - Returns: the tasks that release their memory and files.
    @discardableResult
    func end() -> [Task<Void, Never>] { rungs.values.map { $0.producer.end() } }

    mutating func removeAll() { rungs = [:] }
}
