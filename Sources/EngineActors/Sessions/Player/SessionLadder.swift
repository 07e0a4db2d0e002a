// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments

/// The smaller sizes of a session's video that players have requested. Each has its own demuxer and segments, and the plan
/// of the session.
struct SessionLadder {
    private struct Rung {
        var media: OpenedMedia
        let demuxer: Demuxer
    }

    /// By `SourceVariant.index`.
    private var rungs: [Int: Rung] = [:]

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
        if let known = rungs[index] { return known.media }
        guard let source = lead.source.rung(index) else { return nil }
        let demuxer = Demuxer(name: "variant-\(index)", source: source)
        let ends = Array(lead.trackEnds.prefix(source.tracks.count))
        let producer = SegmentProducer(
            source: source,
            demuxer: demuxer,
            plan: lead.plan,
            trackEnds: ends,
            budget: budget,
            target: options.segmentTarget,
            preferredTrack: nil,
            subtitles: lead.burner,
            onReport: { _ in }
        )
        var media = OpenedMedia(source, producer, plan: lead.plan, trackEnds: ends, audio: AudioTracks(source))
        media.seal(targetDuration: targetDuration)
        rungs[index] = Rung(media: media, demuxer: demuxer)
        return media
    }

    /// The rungs whose plans `batch` extends, with the extended plans.
    func grown(by batch: Scanner.Batch, at now: Int64) -> [(index: Int, media: OpenedMedia)] {
        rungs.compactMap { index, rung in rung.media.grown(by: batch, at: now).map { (index, $0) } }
    }

    mutating func replace(_ index: Int, with media: OpenedMedia) { rungs[index]?.media = media }

    /// - Parameter bytes: the limit for the finished segments of each rung.
    func setBudget(_ bytes: Int) async {
        for rung in rungs.values { await rung.media.producer.setBudget(bytes) }
    }

    func interrupt() {
        for rung in rungs.values {
            rung.media.producer.halt()
            rung.demuxer.interrupt()
        }
    }

    /// Forgets the rungs, and returns them.
    mutating func removeAll() -> [OpenedMedia] {
        defer { rungs = [:] }
        return rungs.values.map(\.media)
    }
}
