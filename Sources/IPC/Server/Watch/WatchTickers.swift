// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Wire

/// One timer per interval, running only while a client watches a playhead that moves. Used only on the event loop.
final class WatchTickers {
    private let hub: WatchHub
    private let loop: any EventLoop
    private var timers: [Duration: Scheduled<Void>] = [:]

    init(for hub: WatchHub, on loop: any EventLoop) {
        self.hub = hub
        self.loop = loop
    }

    /// Starts the timers that are needed and not running.
    func start() {
        for interval in hub.neededIntervals where timers[interval] == nil {
            schedule(interval, at: .now() + TimeAmount(clamping: interval))
        }
    }

    func stop() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
    }

    private func schedule(_ interval: Duration, at deadline: NIODeadline) {
        timers[interval] = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timers[interval] = nil
            guard self.hub.tick(interval) else { return }
            let next = deadline + TimeAmount(clamping: interval)
            self.schedule(interval, at: max(next, .now()))
        }
    }
}
