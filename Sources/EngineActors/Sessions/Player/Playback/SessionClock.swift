// SPDX-License-Identifier: Apache-2.0

/// Two timers of a session: the clock, a task that requests media as the playhead moves; and the alarm, a task for
/// changes that depend on time alone. A plain value, except for the tasks. Times are in nanoseconds of the monotonic
/// clock.
struct SessionClock {
    struct Sleep {
        /// More media is requested this long before the playhead reaches the end of the available media.
        static let refill: Int64 = 1_500_000_000
        private static let shortest: Int64 = 20_000_000

        /// When the clock wakes.
        let wake: Int64
        /// How long before the playhead reaches the end of the available media the clock must wake.
        let lead: Int64

        /// - Parameters:
        ///   - arrival: when the playhead reaches the end of the available media.
        ///   - isEnough: whether the playhead needs no more media after that.
        init(until arrival: Int64, isEnough: Bool, now: Int64) {
            lead = isEnough ? 0 : Self.refill
            wake = isEnough ? arrival : max(now + Self.shortest, arrival - lead)
        }
    }

    private var task: Task<Void, Never>?
    /// Set while the clock sleeps.
    private var sleep: Sleep?
    /// Whether the clock is waiting for a scan to reach the playhead.
    private(set) var awaitsPlan = false
    private var alarm: Task<Void, Never>?
    /// When the alarm wakes; `nil` once it has woken. If nothing is due then, it is armed again.
    private var wake: Int64?
    /// The next moment at which something changes.
    private var due: Int64?

    // MARK: The clock

    /// - Parameter task: requests media; `nil` while the playhead needs none.
    mutating func restart(_ task: Task<Void, Never>?) {
        self.task?.cancel()
        self.task = task
        sleep = nil
        awaitsPlan = false
    }

    mutating func begin(_ sleep: Sleep) { self.sleep = sleep }

    mutating func endSleep() { sleep = nil }

    mutating func awaitPlan() { awaitsPlan = true }

    var isAsleep: Bool { sleep != nil }

    /// Whether the clock sleeps and will wake early enough before the end of the available media.
    ///
    /// - Parameter arrival: as `PlayerStateMachine.arrival`.
    func wakes(before arrival: Int64?) -> Bool {
        guard let sleep, let arrival else { return false }
        return sleep.wake + sleep.lead <= arrival
    }

    // MARK: The alarm

    /// - Parameter moment: the next moment at which something changes; `nil` if nothing will.
    /// - Returns: the moment for which the alarm must be armed. `nil` if an alarm wakes early enough, or nothing
    ///   changes.
    mutating func expect(_ moment: Int64?) -> Int64? {
        due = moment
        guard let moment, moment < wake ?? .max else { return nil }
        return moment
    }

    /// - Parameter alarm: wakes at `wake`.
    mutating func arm(_ alarm: Task<Void, Never>, for wake: Int64) {
        self.alarm?.cancel()
        self.alarm = alarm
        self.wake = wake
    }

    /// - Returns: whether the alarm that woke is the one that was armed last.
    mutating func woke(at wake: Int64) -> Bool {
        guard self.wake == wake else { return false }
        self.wake = nil
        return true
    }

    func isDue(at now: Int64) -> Bool { due.map { $0 <= now } ?? false }

    mutating func stopAlarm() {
        due = nil
        alarm?.cancel()
    }

    // MARK: Ending

    func stop() { task?.cancel() }

    func cancel() {
        task?.cancel()
        alarm?.cancel()
    }
}
