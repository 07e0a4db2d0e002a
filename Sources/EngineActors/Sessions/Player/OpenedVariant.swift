// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

/// A variant of a session's source that players may switch to, with the scan that extends its plan while its list grows.
///
/// A value, except for the producer and the scanner. Its plan has the segments that its own list has listed, and no others.
struct OpenedVariant: Sendable {
    private(set) var media: OpenedMedia
    /// Finds the segments that follow. `nil` if the plan was complete at once.
    private let scanner: Scanner?

    /// Plans the segments that are listed. Waits if players could not begin with them. Cancelling the task interrupts
    /// the wait.
    ///
    /// - Parameters:
    ///   - source: the opened variant.
    ///   - demuxer: the one that opened it.
    ///   - targetDuration: of the playlists of the session's own variant.
    ///   - budget: the bytes that its finished segments may take.
    init(
        _ source: OpenedSource,
        _ demuxer: Demuxer,
        targetDuration: Int,
        _ options: LoadOptions,
        budget: Int
    ) async throws(EngineError) {
        guard source.lead.kind == .video else {
            throw EngineError(.noPlayableStream, "\(source.file.path) has no video, unlike the other variants")
        }
        let target = source.interleaving.target(options)
        let plan = source.indexPlan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan)
        let producer = SegmentProducer(
            source: source,
            demuxers: SegmentDemuxers(demuxer, of: source),
            plan: plan,
            trackEnds: source.trackEnds,
            budget: budget,
            target: target,
            onReport: { _ in }
        )
        let audio = AudioTracks(source)
        media = OpenedMedia(source, producer, plan: plan, trackEnds: source.trackEnds, audio: audio)
        guard !plan.isComplete else {
            scanner = nil
            // Variants have the same target duration (RFC 8216 §6.2.4), unless the segments of one are longer.
            media.sealAtLeast(targetDuration: targetDuration)
            return
        }
        let scanner = Scanner(source: source, target: target)
        self.scanner = scanner
        do throws(EngineError) {
            // The first plan of a list leaves out its last segment. A playlist must not be published with less than an
            // earlier process listed.
            repeat {
                let batch = try await Self.step(scanner)
                await adopt(batch)
            } while media.plan.segmentCount == 0 && !media.plan.isComplete
        } catch {
            await producer.end().value
            throw error
        }
        let own = Playlists.targetDurationOfGrowingPlan(
            media.plan,
            target: target,
            promised: source.promisedTargetDuration
        )
        media.seal(targetDuration: max(own, targetDuration))
    }

    /// Whether its list may have more segments.
    var isGrowing: Bool { !media.plan.isComplete }

    /// Waits until the list has more segments, has stalled or resumed, or has ended. If the scan fails, the plan ends
    /// with the segments that are known: players must not wait for more. Cancelling the task interrupts the wait.
    ///
    /// - Returns: the notices about the list. `nil` if the plan was complete at once, and once the task is cancelled.
    mutating func grow() async -> [Notice]? {
        guard let scanner else { return nil }
        var batch: Scanner.Batch
        do throws(EngineError) {
            batch = try await Self.step(scanner)
        } catch {
            guard media.endsPlan(after: error) else { return nil }
            batch = await scanner.finish()
            batch.newNotices.append(Notice(.warning, "plan.scan_failed", "\(error)"))
        }
        await adopt(batch)
        return batch.newNotices
    }

    /// The producer has the plan before a request can name its segments.
    private mutating func adopt(_ batch: Scanner.Batch) async {
        guard let grown = media.grown(by: batch, at: monotonicNanoseconds()) else { return }
        await grown.producer.extend(grown.plan, trackEnds: grown.trackEnds)
        media = grown
    }

    private static func step(_ scanner: Scanner) async throws(EngineError) -> Scanner.Batch {
        try await interrupting(by: scanner.interrupt) { () async throws(EngineError) in
            try await scanner.step(isAwaited: true)
        }
    }
}
