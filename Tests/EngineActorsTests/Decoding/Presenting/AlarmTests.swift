// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding

@Suite("When an alarm wakes", .timeLimit(.minutes(10)))
struct AlarmTests {
    private static let hour: Int64 = 3_600_000_000_000
    private let woken = Locked<[String]>([])

    private var names: [String] { woken.withLock { $0 } }

    private func set(_ alarm: Alarm, to moment: Int64, now: Int64, _ name: String) {
        alarm.set(to: moment, now: now) { [woken] in woken.withLock { $0.append(name) } }
    }

    @Test("an alarm that has gone off can be set to a later moment")
    func again() async throws {
        let alarm = Alarm()
        set(alarm, to: 10, now: 10, "first")
        try await eventually { names == ["first"] }
        set(alarm, to: 20, now: 20, "second")
        try await eventually { names == ["first", "second"] }
    }

    @Test("an earlier moment replaces a later one; a later moment changes nothing")
    func earliest() async throws {
        let alarm = Alarm()
        set(alarm, to: Self.hour, now: 0, "far")
        // If the alarm accepted this moment, it would go off at once.
        set(alarm, to: 2 * Self.hour, now: 2 * Self.hour, "farther")
        try await Task.sleep(for: .milliseconds(20))
        #expect(names == [])
        set(alarm, to: 10, now: 10, "near")
        try await eventually { names == ["near"] }
    }

    @Test("a cancelled alarm can be set again")
    func cancelled() async throws {
        let alarm = Alarm()
        set(alarm, to: Self.hour, now: 0, "cancelled")
        alarm.cancel()
        // A later moment, which would change nothing without `cancel`.
        set(alarm, to: 2 * Self.hour, now: 2 * Self.hour, "last")
        try await eventually { names == ["last"] }
    }
}
