// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

// Segment boundaries that a scan is still finding.
extension PlaybackSession {
    /// How long a load waits for the scan to finish before it publishes a growing playlist, in nanoseconds.
    private static let scanPatience: Int64 = 200_000_000

    func startScan(of source: OpenedSource) async throws(EngineError) {
        let scanner = Scanner(source: source, target: request.options.segmentTarget)
        let deadline = monotonicNanoseconds() + Self.scanPatience
        while true {
            let batch = try await withInterruption(scanner)
            await adopt(batch)
            if batch.plan.isComplete { break }
            // All segments that an earlier process announced must be planned before playlists are published again.
            let announced = max(1, restored?.announcedSegments ?? 0)
            if batch.plan.segmentCount >= announced, monotonicNanoseconds() > deadline {
                let sealed =
                    restored?.sealedTargetDuration
                    ?? Playlists.targetDurationOfGrowingPlan(batch.plan, target: request.options.segmentTarget)
                // Cancelled when the session ends.
                media.seal(targetDuration: sealed, scan: Task { await self.continueScan(scanner) })
                break
            }
        }
        guard let plan = media.opened?.plan, plan.segmentCount > 0 else {
            throw EngineError(
                .noPlayableStream,
                "\(source.file.path) has no keyframe to start playback at",
                cause: "a scan of the whole file found no keyframe of \(source.lead.stream.codec.rawValue)"
            )
        }
    }

    func withInterruption(_ scanner: Scanner) async throws(EngineError) -> Scanner.Batch {
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                return Result<Scanner.Batch, EngineError>.success(try await scanner.step())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            scanner.interrupt()
        }
        return try result.get()
    }

    func continueScan(_ scanner: Scanner) async {
        do throws(EngineError) {
            while !Task.isCancelled, !isStopped {
                let batch = try await withInterruption(scanner)
                await adopt(batch)
                if batch.plan.isComplete { return }
            }
        } catch {
            guard !isStopped else { return }
            hub.notice(id, Notice(.warning, "plan.scan_failed", "\(error)"))
        }
    }

    func adopt(_ batch: Scanner.Batch) async {
        // The producer and the decoder have the plan before a request can name its segments.
        if let grown = media.opened?.grown(by: batch) {
            await grown.producer.extend(grown.plan, trackEnds: grown.trackEnds)
            await subtitles.decoder?.extend(grown.plan)
        }
        let isGrown = media.adopt(batch)
        guard let media = media.opened else { return }
        if isGrown { planHasGrown() }
        if batch.plan.isComplete {
            await self.media.plans.save(batch, of: media.source, target: request.options.segmentTarget)
        }
        publishPlan(progress: batch.progress)
        outputs.software?.film?.follow(media.plan)
        if batch.plan.isComplete { await outputs.software?.renderer.setDuration(duration) }
        if self.media.isDescribed { noteVersions() }
        if batch.plan.isComplete {
            for notice in batch.notices(path: media.source.file.path) { hub.notice(id, notice) }
        }
    }

    func publishPlan(progress: Double) {
        guard let media = media.opened else { return }
        let duration = media.duration
        let isMoved = player.machine.setDuration(duration)
        let anchor = player.machine.anchor(at: monotonicNanoseconds())
        let count = media.plan.segmentCount
        let reachable = media.reachable
        let plan = media.plan
        hub.update(id) { state in
            if isMoved { state.position = anchor }
            state.duration = duration
            state.seekable = reachable.map { [MediaTimeRange(start: .zero, end: $0)] } ?? []
            state.production.plannedSegments = count
            state.production.isPlanComplete = plan.isComplete
            state.production.scanProgress = plan.isComplete ? 1 : (progress * 100).rounded(.down) / 100
            state.production.planOrigin = plan.origin
        }
    }
}
