// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decides which of the unanswered refreshes of one source is carried out next.
///
/// They are carried out one at a time, in the order in which they arrived, so that each builds on those before it. A
/// refresh that sets everything that the earlier ones set replaces them: it goes first, and interrupts the one that is
/// being carried out. If it succeeds, the earlier ones are answered with it; if it fails, they get their turn. Pure,
/// except that it raises the flag of the refresh that it interrupts.
struct RefreshOrder: Sendable {
    enum Turn: Sendable {
        /// The refresh is to be carried out now, until the flag is raised.
        case now(InterruptFlag)
        /// A newer refresh was carried out, and has set everything that this one would have set.
        case replaced
    }

    private struct Running: Sendable {
        let id: UInt64
        let interrupt = InterruptFlag()
        /// Whether a newer refresh has ended its turn early.
        var yields = false
    }

    /// Oldest first.
    private var entries: [(id: UInt64, change: SourceRefresh)] = []
    private var running: Running?

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter id: greater than those of all refreshes before.
    mutating func add(_ id: UInt64, _ change: SourceRefresh) {
        entries.append((id, change))
        guard let running, next != running.id else { return }
        self.running?.yields = true
        running.interrupt.raise()
    }

    /// The refresh that is carried out next: the newest one that sets everything that those before it set.
    private var next: UInt64? {
        entries.indices.last { place in
            entries[..<place].allSatisfy { entries[place].change.replaces($0.change) }
        }.map { entries[$0].id }
    }

    /// Begins the turn of a refresh if it comes next. `nil`: it has to wait.
    mutating func turn(of id: UInt64) -> Turn? {
        guard entries.contains(where: { $0.id == id }) else { return .replaced }
        guard running == nil, next == id else { return nil }
        let running = Running(id: id)
        self.running = running
        return .now(running.interrupt)
    }

    /// The refresh whose turn it was has succeeded, which answers those before it, too.
    mutating func succeeded(_ id: UInt64) {
        running = nil
        entries.removeAll { $0.id <= id }
    }

    /// The refresh whose turn it was has failed.
    ///
    /// - Parameter wasInterrupted: whether it failed because its flag was raised.
    /// - Returns: whether it waits for another turn, because a newer refresh ended this one early.
    mutating func failed(_ id: UInt64, wasInterrupted: Bool) -> Bool {
        let yields = running?.yields == true && wasInterrupted
        running = nil
        if !yields { leave(id) }
        return yields
    }

    /// Removes a refresh that was cancelled or has failed.
    mutating func leave(_ id: UInt64) { entries.removeAll { $0.id == id } }
}

extension SourceRefresh {
    /// Whether this refresh sets everything that an older one sets.
    fileprivate func replaces(_ older: SourceRefresh) -> Bool {
        (url != nil || older.url == nil) && (headers != nil || older.headers == nil)
            && (connection != nil || older.connection == nil)
    }
}
