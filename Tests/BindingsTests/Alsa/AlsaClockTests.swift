// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite("The clock of an ALSA device", .timeLimit(.minutes(10)))
struct AlsaClockTests {
    private static let rate: Int64 = 48_000

    /// In nanoseconds.
    private static func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    /// Simulates a device with a buffer of 200 ms that plays at `speed` times real time, and queries it every 20 ms.
    private static func play(_ clock: inout AlsaClock, speed: Double, for milliseconds: Int64) {
        clock.begin(at: 0)
        for time in stride(from: Int64(20), through: milliseconds, by: 20) {
            let place = Int64(Double(time * rate / 1000) * speed)
            clock.observe(place, of: place + rate / 5, at: self.milliseconds(time))
        }
    }

    @Test("Follows the device and interpolates between queries")
    func between() {
        var clock = AlsaClock(rate: Int(Self.rate))
        Self.play(&clock, speed: 1, for: 1000)
        #expect(clock.heard(at: Self.milliseconds(1000)) == 48_000)
        #expect(clock.heard(at: Self.milliseconds(1010)) == 48_480)
        // Samples that were not written to the device are not heard.
        #expect(clock.heard(at: Self.milliseconds(9000)) == 57_600)
    }

    @Test("Follows a crystal that is slightly off", arguments: [0.99, 1.001, 1.01])
    func crystal(speed: Double) {
        var clock = AlsaClock(rate: Int(Self.rate))
        Self.play(&clock, speed: speed, for: 60_000)
        #expect(clock.keepsTime)
        #expect(abs(Double(clock.heard(at: Self.milliseconds(60_000))) - 60 * 48_000 * speed) < 2)
    }

    @Test("Stops with the device")
    func standing() {
        var clock = AlsaClock(rate: Int(Self.rate))
        Self.play(&clock, speed: 1, for: 500)
        clock.stop(at: Self.milliseconds(500))
        #expect(!clock.isMoving && clock.heard(at: Self.milliseconds(5000)) == 24_000)
        clock.observe(90_000, of: 90_000, at: Self.milliseconds(5000))
        #expect(clock.heard(at: Self.milliseconds(5000)) == 24_000)
        clock.begin(at: Self.milliseconds(5000))
        #expect(clock.heard(at: Self.milliseconds(5100)) == 28_800)
    }

    @Test("Never runs far ahead of real time, even if the device briefly reports a position that does")
    func moments() {
        var clock = AlsaClock(rate: Int(Self.rate))
        clock.begin(at: 0)
        clock.observe(9600, of: 9600, at: Self.milliseconds(20))
        #expect(clock.heard(at: Self.milliseconds(20)) < 48 * 52)
        clock.observe(1920, of: 9600, at: Self.milliseconds(40))
        clock.observe(9600, of: 19_200, at: Self.milliseconds(200))
        #expect(clock.keepsTime && clock.heard(at: Self.milliseconds(200)) == 9600)
    }

    @Test("Falls back to the monotonic clock if the device reports everything as played at once")
    func timeless() {
        var clock = AlsaClock(rate: Int(Self.rate))
        clock.begin(at: 0)
        for time in stride(from: Int64(20), through: 10_000, by: 20) {
            let given = clock.heard(at: Self.milliseconds(time)) + Self.rate / 5
            clock.observe(given, of: given, at: Self.milliseconds(time))
        }
        #expect(!clock.keepsTime)
        // The lead from the first second remains.
        let heard = Double(clock.heard(at: Self.milliseconds(10_000))) / Double(Self.rate)
        #expect(heard >= 10 && heard < 10.1)
    }
}
