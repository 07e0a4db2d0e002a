// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments

/// The source of a session: what was requested of it, what is known once it is open, and the tasks that follow it. Plain
/// values, except for the demuxer, the store of plans and the tasks.
struct SessionMedia {
    let opener = Demuxer(name: "demux-1")
    let plans: PlanStore
    /// The session's share of the cache, in bytes.
    private(set) var budget: Int
    /// The requested audio track: from the load request, or from a later command.
    private(set) var wantedAudio: AudioSelection
    /// `nil` until the source is open, and once the session has ended.
    private(set) var opened: OpenedMedia?
    /// Whether the description of the source has been published.
    private(set) var isDescribed = false
    private var planning: Task<Void, Never>?
    private var reports: Task<Void, Never>?

    init(plans: PlanStore, budget: Int, audio: AudioSelection) {
        self.plans = plans
        self.budget = budget
        wantedAudio = audio
    }

    mutating func setBudget(_ bytes: Int) { budget = bytes }

    /// - Parameter reports: reads the producer's reports.
    mutating func open(_ opened: OpenedMedia, reports: Task<Void, Never>) {
        self.opened = opened
        self.reports = reports
    }

    /// - Returns: the description to publish, on the session's timeline; `nil` if the source is not open.
    mutating func describe() -> MediaDescription? { opened?.describe() }

    /// The description has been published.
    mutating func described() { isDescribed = true }

    /// - Returns: a warning when no track matches `selection` and the default track is used instead.
    mutating func select(_ selection: AudioSelection) -> Notice? {
        wantedAudio = selection
        return opened?.select(selection)
    }

    // MARK: The scan

    /// Waits for the scan to end, if it goes on after the source was opened.
    func planned() async { await planning?.value }

    /// - Returns: whether the plan has grown or is complete.
    mutating func adopt(_ batch: Scanner.Batch) -> Bool { opened?.adopt(batch) ?? false }

    /// Playlists are published before the plan is complete.
    ///
    /// - Parameter scan: goes on with the scan.
    mutating func seal(targetDuration: Int, scan: Task<Void, Never>) {
        opened?.seal(targetDuration: targetDuration)
        planning = scan
    }

    // MARK: Ending

    func stopPlanning() { planning?.cancel() }

    /// Forgets the source. Reports are no longer read.
    mutating func close() {
        reports?.cancel()
        opened = nil
    }

    func cancel() {
        // A task that reads a stream without a producer would wait forever.
        reports?.cancel()
        planning?.cancel()
    }
}
