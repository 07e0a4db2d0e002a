// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Waits for reports that memory is short, from the service manager or the kernel.
///
/// The actor has its own thread, which sleeps in poll(2).
package actor MemoryPressure {
    /// A file or FIFO that reports when memory is short.
    package struct Trigger: Hashable, Sendable {
        let path: String
        /// The condition that counts as short of memory. It is written to `path`.
        let words: [UInt8]

        package init(path: String, words: [UInt8]) {
            self.path = path
            self.words = words
        }

        /// The kernel's file for the whole machine (Documentation/accounting/psi.rst), which triggers when processes
        /// have waited for memory for 0.2 s of 2 s. From unprivileged users, kernels accept only windows that are
        /// multiples of 2 s; kernels before 6.4 accept none.
        static let ofMachine = Trigger(path: "/proc/pressure/memory", words: Array("some 200000 2000000\0".utf8))
    }

    /// In milliseconds: how often the averages are read if no trigger can be set.
    private static let interval: CInt = 10_000
    /// Reports of control groups are at least this far apart, in seconds: a group that is at its limit counts an event
    /// for every allocation.
    private static let reportPause: CUnsignedInt = 1

    private let executor = ThreadExecutor(name: "pressure")
    private var trigger: CInt
    /// The open `memory.events.local` files of the process's control groups, with what was last read from each.
    private var counters: [(file: CInt, last: MemoryEvents)]
    /// An open pressure file, or -1.
    private let averages: CInt

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Waits for `trigger` alone. `nil` if its path cannot be opened or written.
    package init?(_ trigger: Trigger) {
        self.trigger = Self.opened(trigger)
        (counters, averages) = ([], -1)
        guard self.trigger >= 0 else { return nil }
    }

    /// Waits for the kernel's reports about the machine and about this process's control groups. For the machine, it
    /// sets a trigger or, where the process may not set one, reads the average of the last ten seconds; if that of the
    /// machine cannot be read, that of the outermost control group. For the groups, which have limits of their own, it
    /// reads their events. `nil` if none of these can be read.
    package init?() {
        let groups = ControlGroups.folders(reading: ControlGroups.text).filter { $0.version == .second }.map(\.folder)
        let trigger = Self.opened(.ofMachine)
        let averages = [Trigger.ofMachine.path] + groups.reversed().map { $0 + "/memory.pressure" }
        self.init(
            trigger: trigger,
            // `.local` counts a group's own limits only; `memory.events` of a parent would include shortages of other
            // children.
            counters: groups.map { $0 + "/memory.events.local" },
            averages: trigger < 0 ? averages : []
        )
    }

    /// - Parameters:
    ///   - trigger: an open trigger, which the actor owns, or -1.
    ///   - averages: the paths of pressure files; the first one that can be read is used.
    init?(trigger: CInt, counters: [String], averages: [String]) {
        self.trigger = trigger
        self.counters = counters.compactMap { path in
            guard let (file, text) = Self.readable(path) else { return nil }
            return (file, MemoryEvents(text))
        }
        self.averages = averages.lazy.compactMap { Self.readable($0)?.file }.first ?? -1
        if trigger < 0, self.averages < 0, self.counters.isEmpty { return nil }
    }

    deinit {
        for file in [trigger, averages] + counters.map(\.file) where file >= 0 { close(file) }
    }

    /// Waits until memory is short. Blocks the actor's thread, and cannot be cancelled.
    ///
    /// - Returns: `false` if no more reports can come.
    package func isShort() -> Bool {
        let interval = averages < 0 ? -1 : Self.interval
        // The counters of a group that is gone are dropped.
        while trigger >= 0 || averages >= 0 || !counters.isEmpty {
            switch unsafe csystem_await_pressure(trigger, counters.map(\.file), counters.count, interval) {
            case CInt(CSYSTEM_PRESSURE_NONE): if Self.isHigh(ControlGroups.text(averages)) { return true }
            case CInt(CSYSTEM_PRESSURE_TRIGGERED): return true
            case CInt(CSYSTEM_PRESSURE_COUNTED):
                // Events that are counted during the pause are part of the same report.
                sleep(Self.reportPause)
                if hasCounted() || Self.isHigh(ControlGroups.text(averages)) { return true }
            default:
                guard trigger >= 0 else { return false }
                close(trigger)
                trigger = -1
            }
        }
        return false
    }

    /// Reads the counters again, so that poll(2) waits for their next change. Drops the counters whose group is gone.
    private func hasCounted() -> Bool {
        var hasCounted = false
        counters = counters.compactMap { file, last in
            guard let text = ControlGroups.text(file) else {
                close(file)
                return nil
            }
            let now = MemoryEvents(text)
            hasCounted = hasCounted || now.shortages > last.shortages
            return (file, now)
        }
        return hasCounted
    }

    private static func opened(_ trigger: Trigger) -> CInt {
        unsafe trigger.words.withUnsafeBytes { words in
            unsafe csystem_watch_pressure(trigger.path, words.baseAddress, words.count)
        }
    }

    private static func readable(_ path: String) -> (file: CInt, text: String)? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        if let text = ControlGroups.text(file) { return (file, text) }
        close(file)
        return nil
    }

    /// Whether processes have waited for memory for a tenth of the last ten seconds, according to a file of the kernel
    /// such as `some avg10=0.12 avg60=0.00 avg300=0.00 total=5`.
    static func isHigh(_ pressure: String?) -> Bool {
        let words = pressure?.split(separator: "\n").first { $0.hasPrefix("some ") }?.split(separator: " ") ?? []
        let average = words.first { $0.hasPrefix("avg10=") }.flatMap { Double($0.dropFirst(6)) }
        return (average ?? 0) >= 10
    }
}

/// The counters of `memory.events` of a control group (Documentation/admin-guide/cgroup-v2.rst).
struct MemoryEvents: Equatable {
    /// How often the group went over `memory.high`, reached `memory.max`, or had a process killed.
    let shortages: Int

    init(_ text: String) {
        shortages = text.split(separator: "\n").reduce(0) { sum, line in
            let fields = line.split(separator: " ")
            guard fields.count == 2, ["high", "max", "oom", "oom_kill"].contains(fields[0]) else { return sum }
            return sum + (Int(fields[1]) ?? 0)
        }
    }
}
