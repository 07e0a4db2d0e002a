// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

/// The variants of a session's source that players may switch to. Each is opened when a player first requests it, with
/// its own demuxer, plan and segments, and stays open as long as the session.
///
/// Belongs to the session's actor.
final class SessionVariants {
    /// One variant, from the first request for it on.
    private struct Opening {
        let demuxer: Demuxer
        /// Ends when the variant is open, or cannot be opened. Cancelled when the session ends.
        let task: Task<Result<OpenedVariant, EngineError>, Never>
        /// `nil` until the variant is open.
        var variant: OpenedVariant?
        /// Extends the plan of a variant that grows. Cancelled when the session ends.
        var growth: Task<Void, Never>?
    }

    /// The codes of notices that a variant does not publish, because the list of the session's own variant has the same
    /// marks.
    private static let repeated: Set<String> = ["live.date_range", "live.ad_break", "live.ad_break_ended"]

    private let sources: SourceOpener
    /// By `SourceVariant.index`.
    private var openings: [Int: Opening] = [:]
    private var ladder = SessionLadder()
    private var isStopped = false
    /// The session's share of the cache, in bytes.
    private(set) var budget: Int

    /// - Parameter budget: the session's share of the cache, in bytes.
    init(_ sources: SourceOpener, budget: Int) {
        self.sources = sources
        self.budget = budget
    }

    /// The number of shares of the session's cache: the source's own, and one for each variant.
    var shares: Int { 1 + openings.count + ladder.count }

    /// A variant, which is opened on the first call.
    ///
    /// - Parameters:
    ///   - lead: the source whose variant it is.
    ///   - setup: the session's.
    /// - Returns: `nil` if the master playlist does not offer it, or once the session has ended.
    func opened(
        _ index: Int,
        of lead: OpenedMedia,
        targetDuration: Int,
        _ setup: SessionSetup,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EngineError) -> OpenedMedia? {
        guard !isStopped else { return nil }
        let options = setup.request.options
        let budget = budget / (shares + 1)
        let rungs = ladder.count
        if let rung = ladder.rung(index, of: lead, targetDuration: targetDuration, options, budget: budget) {
            if ladder.count != rungs { await shareBudget(with: lead) }
            return rung
        }
        guard lead.source.siblings.contains(where: { $0.variant.index == index }) else { return nil }
        let opening = openings[index] ?? begin(index, of: lead.source, targetDuration, options, budget)
        openings[index] = opening
        let result = await opening.task.value
        let isCurrent = openings[index]?.demuxer === opening.demuxer
        switch result {
        case .success(let variant):
            guard isCurrent else { return variant.media }
            if openings[index]?.variant == nil {
                openings[index]?.variant = variant
                openings[index]?.growth = variant.isGrowing ? follow(index, setup) : nil
                await shareBudget(with: lead)
            }
            return (openings[index]?.variant ?? variant).media
        case .failure(let error):
            // The next request tries again.
            if isCurrent {
                openings[index] = nil
                await shareBudget(with: lead)
            }
            throw error
        }
    }

    private func begin(
        _ index: Int,
        of lead: OpenedSource,
        _ targetDuration: Int,
        _ options: LoadOptions,
        _ budget: Int
    ) -> Opening {
        let demuxer = Demuxer(name: "variant-\(index)", opener: sources)
        // Ends when the variant is open, or with `stop`, which interrupts the demuxer.
        let task = Task<Result<OpenedVariant, EngineError>, Never> { @Sendable in
            await Self.open(index, of: lead, with: demuxer, targetDuration, options, budget)
        }
        return Opening(demuxer: demuxer, task: task)
    }

    private static func open(
        _ index: Int,
        of lead: OpenedSource,
        with demuxer: Demuxer,
        _ targetDuration: Int,
        _ options: LoadOptions,
        _ budget: Int
    ) async -> Result<OpenedVariant, EngineError> {
        do throws(EngineError) {
            let source = try await demuxer.open(variant: index, of: lead, options: options)
            return .success(
                try await OpenedVariant(source, demuxer, targetDuration: targetDuration, options, budget: budget)
            )
        } catch {
            await demuxer.close()
            return .failure(error)
        }
    }

    // MARK: Growth

    private func follow(
        _ index: Int,
        _ setup: SessionSetup,
        isolation: isolated (any Actor)? = #isolation
    ) -> Task<Void, Never> {
        // Cancelled when the session ends.
        Task {
            _ = isolation
            await self.extend(index, setup)
        }
    }

    /// Extends the plan of a variant until its list has ended.
    private func extend(_ index: Int, _ setup: SessionSetup) async {
        while !Task.isCancelled, !isStopped, var variant = openings[index]?.variant, variant.isGrowing {
            guard let notices = await variant.grow(), !isStopped else { return }
            openings[index]?.variant = variant
            for notice in notices where !Self.repeated.contains(notice.code) { setup.publish(notice) }
        }
    }

    /// The URL or the HTTP options have changed: has the playlist of each variant fetched again.
    func refresh() {
        for opening in openings.values {
            // Ends with the opening.
            Task { if case .success(let variant) = await opening.task.value { variant.media.refreshList() } }
        }
    }

    /// - Parameters:
    ///   - bytes: the session's share of the cache.
    ///   - lead: the source, whose segments take a part of it; `nil` if it is not open.
    func setBudget(_ bytes: Int, of lead: OpenedMedia?) async {
        budget = bytes
        await shareBudget(with: lead)
    }

    /// Divides the session's share of the cache among the source and its variants. A variant that is being opened gets
    /// its share when it is open: its server may need long.
    func shareBudget(with lead: OpenedMedia?) async {
        let bytes = budget / shares
        await lead?.producer.setBudget(bytes)
        for opening in openings.values { await opening.variant?.media.producer.setBudget(bytes) }
        await ladder.setBudget(bytes)
    }

    /// Extends the plans of the rungs that are open. `batch` is part of the session's own plan already.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    func extendLadder(_ batch: Scanner.Batch, at now: Int64) async {
        for (index, grown) in ladder.grown(by: batch, at: now) {
            // The producer has the plan before a request can name its segments.
            await grown.producer.extend(grown.plan, trackEnds: grown.trackEnds)
            ladder.replace(index, with: grown)
        }
    }

    /// Interrupts all variants that are being opened or read; they end at once.
    func interrupt() {
        isStopped = true
        for opening in openings.values {
            opening.demuxer.interrupt()
            opening.task.cancel()
            opening.growth?.cancel()
        }
        ladder.end()
    }

    /// Releases threads and memory.
    func stop() async {
        interrupt()
        let stopped = openings.values
        openings = [:]
        var endings = ladder.end()
        ladder.removeAll()
        for opening in stopped {
            if case .success(let variant) = await opening.task.value { endings.append(variant.media.producer.end()) }
            await opening.growth?.value
        }
        for ending in endings { await ending.value }
    }
}
