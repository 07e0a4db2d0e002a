// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore

/// Brings the engine's changes from the inbox into the hub, and from there to the watches. Used only on the event loop.
final class WatchDelivery {
    let hub = WatchHub()
    private let inbox: ChangeInbox
    private let output: ServerOutput
    private let tickers: WatchTickers
    private let loop: any EventLoop
    private var isNotifyingDue = false

    init(from inbox: ChangeInbox, through output: ServerOutput, on loop: any EventLoop) {
        self.inbox = inbox
        self.output = output
        self.loop = loop
        tickers = WatchTickers(for: hub, on: loop)
    }

    /// Updates the hub with all changes that the engine has published so far.
    func drain() {
        let changes = inbox.drain()
        guard !changes.isEmpty else { return }
        for change in changes { hub.note(change) }
        tickers.start()
        scheduleNotifying()
    }

    /// Updates the hub with the state in a command's answer, because no client may get an older state afterwards.
    func adopt(_ state: SessionState) {
        drain()
        hub.adopt(state)
        scheduleNotifying()
    }

    func add(_ watcher: Watcher) {
        hub.add(watcher)
        tickers.start()
    }

    func stop() { tickers.stop() }

    /// Schedules event delivery for the loop's next visit, so that the client that caused a change gets its answer
    /// before a thousand watchers get the event.
    private func scheduleNotifying() {
        guard hub.hasUnsent, !isNotifyingDue else { return }
        isNotifyingDue = true
        loop.assumeIsolated().execute {
            self.isNotifyingDue = false
            self.output.inBatches { self.hub.notifyWatches() }
        }
    }
}
