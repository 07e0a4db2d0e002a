// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// The segment boundaries of a session's source, as far as they are known: publishes them, and follows a scan that is
/// still finding them.
///
/// Belongs to the session's actor.
final class SessionPlanning {
    /// How long a load waits for the scan to finish before it publishes a growing playlist.
    private static let scanPatience = Duration.milliseconds(200)

    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private let transport: SessionTransport
    private let software: SoftwarePath
    private let findings: SessionFindings
    /// The scan, while it goes on after the source was opened.
    private var scan: Task<Void, Never>?

    init(
        _ setup: SessionSetup,
        _ media: SessionMedia,
        _ subtitles: SessionSubtitles,
        _ transport: SessionTransport,
        _ software: SoftwarePath,
        _ findings: SessionFindings
    ) {
        self.setup = setup
        self.media = media
        self.subtitles = subtitles
        self.transport = transport
        self.software = software
        self.findings = findings
    }

    deinit { scan?.cancel() }

    /// Scans the source until its playlists can be published, or until the plan is complete.
    func start(isolation: isolated (any Actor)? = #isolation) async throws(EngineError) {
        guard let source = media.opened?.source else { return }
        let scanner = Scanner(source: source, target: setup.request.options.segmentTarget)
        let deadline = Deadline(in: Self.scanPatience)
        while true {
            let batch = try await step(scanner)
            await adopt(batch)
            if batch.plan.isComplete { break }
            // All segments that an earlier process announced must be planned before playlists are published again.
            let announced = max(1, setup.restored?.announcedSegments ?? 0)
            if batch.plan.segmentCount >= announced, deadline.hasPassed {
                media.seal(
                    targetDuration: setup.restored?.sealedTargetDuration
                        ?? Playlists.targetDurationOfGrowingPlan(
                            batch.plan,
                            target: setup.request.options.segmentTarget
                        )
                )
                // Cancelled when the session ends.
                scan = Task {
                    _ = isolation
                    await self.goOn(scanner)
                }
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

    /// Waits for the scan to end, if it goes on after the source was opened.
    func untilComplete() async { await scan?.value }

    func stop() { scan?.cancel() }

    /// Scans some more. Cancelling the task interrupts the scan.
    private func step(_ scanner: Scanner) async throws(EngineError) -> Scanner.Batch {
        try await interrupting(by: scanner.interrupt) { () async throws(EngineError) in try await scanner.step() }
    }

    private func goOn(_ scanner: Scanner) async {
        do throws(EngineError) {
            while !Task.isCancelled, !media.isStopped {
                let batch = try await step(scanner)
                await adopt(batch)
                if batch.plan.isComplete { return }
            }
        } catch {
            guard !media.isStopped else { return }
            setup.publish(Notice(.warning, "plan.scan_failed", "\(error)"))
        }
    }

    private func adopt(_ batch: Scanner.Batch) async {
        // The producer and the decoder have the plan before a request can name its segments.
        if let grown = media.opened?.grown(by: batch) {
            await grown.producer.extend(grown.plan, trackEnds: grown.trackEnds)
            await subtitles.decoder?.extend(grown.plan)
        }
        let isGrown = media.adopt(batch)
        guard let opened = media.opened else { return }
        if isGrown { transport.planHasGrown() }
        if batch.plan.isComplete {
            await media.plans.save(batch, of: opened.source, target: setup.request.options.segmentTarget)
        }
        publish(progress: batch.progress)
        await software.planHasGrown()
        if media.isDescribed { findings.noteVersions() }
        guard batch.plan.isComplete else { return }
        for notice in batch.notices(path: opened.source.file.path) { setup.publish(notice) }
    }

    /// - Parameter progress: how much of the source has been scanned, up to 1.
    func publish(progress: Double, isolation: isolated (any Actor)? = #isolation) {
        guard let media = media.opened else { return }
        let (plan, duration, reachable) = (media.plan, media.duration, media.reachable)
        transport.change { player, now in
            let isMoved = player.machine.setDuration(duration)
            let anchor = player.machine.anchor(at: now)
            setup.publish { state in
                if isMoved { state.position = anchor }
                state.duration = duration
                state.seekable = reachable.map { [MediaTimeRange(start: .zero, end: $0)] } ?? []
                state.production.plannedSegments = plan.segmentCount
                state.production.isPlanComplete = plan.isComplete
                state.production.scanProgress = plan.isComplete ? 1 : (progress * 100).rounded(.down) / 100
                state.production.planOrigin = plan.origin
            }
        }
    }
}
