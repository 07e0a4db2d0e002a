// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable import Transfers

@Suite("Silence during a login", .timeLimit(.minutes(10)))
struct LoginWatchTests {
    private let second: Int64 = 1_000_000_000

    private func findings(_ silences: [Int64], _ limits: StallLimits) -> [StallWatch.Finding] {
        var watch = LoginWatch()
        return silences.map { watch.check(silence: $0 * second, limits) }
    }

    @Test("Each silence is reported once, and ends the login at its limit")
    func finds() {
        let limits = StallLimits(quiet: .seconds(3), stall: .seconds(6))
        #expect(findings([0, 2, 3, 5, 6], limits) == [.fine, .fine, .quiet, .fine, .stalled])
        #expect(findings([3, 0, 4, 5, 1], limits) == [.quiet, .fine, .quiet, .fine, .fine])
        #expect(findings([9, 9], limits) == [.quiet, .stalled])
    }

    @Test("The next check is made when the silence will be reported or has lasted for too long")
    func schedules() {
        let limits = StallLimits(quiet: .seconds(3), stall: .seconds(6))
        var watch = LoginWatch()
        #expect(watch.timeUntilNextCheck(after: second, limits) == 2 * second)
        _ = watch.check(silence: 3 * second, limits)
        #expect(watch.timeUntilNextCheck(after: 3 * second, limits) == 3 * second)
        #expect(watch.timeUntilNextCheck(after: 9 * second, limits) == 0)
    }

    @Test("A shorter limit applies to all silences, and leaves time to report them")
    func shortens() {
        let limits = StallLimits().within(.seconds(4))
        #expect([limits.quiet, limits.stall, limits.login] == [2 * second, 4 * second, 4 * second])
        #expect(StallLimits().within(.seconds(30)) == StallLimits())
    }

    @Test("The short limit for data connections of FTP over TLS does not apply to the login")
    func dataConnections() {
        var limits = StallLimits(stall: .seconds(20))
        limits.stall = 5 * second
        #expect(findings([3, 5, 19, 20], limits) == [.quiet, .fine, .fine, .stalled])
    }
}
