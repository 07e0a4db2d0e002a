// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server
@testable import Wire

@Suite("Text in gRPC headers")
struct WireTextTests {
    @Test(
        "printable ASCII stays, everything else is percent-encoded, and decoding restores it",
        arguments: [
            ("plain words", "plain words"), ("100 %", "100 %25"), ("é\n", "%C3%A9%0A"), ("", ""),
            ("\u{1F} ~\u{7F}", "%1F ~%7F"),
        ]
    )
    func percent(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test("invalid sequences stay as they are", arguments: ["%", "%4", "%zz", "50%"])
    func percentBroken(_ text: String) {
        #expect(PercentEncoding.decode(text) == text)
    }

    @Test("long text is cut between characters")
    func cut() {
        let text = String(repeating: "é", count: 1000)
        let back = PercentEncoding.decode(PercentEncoding.encode(text))
        #expect(back == String(repeating: "é", count: PercentEncoding.longestText / 2))
    }

    @Test(
        "timeouts are read in every unit",
        arguments: [
            ("1H", Duration.seconds(3600)), ("2M", .seconds(120)), ("3S", .seconds(3)), ("4m", .milliseconds(4)),
            ("5u", .microseconds(5)), ("99999999n", .nanoseconds(99_999_999)),
        ]
    )
    func timeout(_ text: String, _ duration: Duration) {
        #expect(GRPCTimeout.parse(text) == duration)
    }

    @Test(
        "anything but up to eight digits and a unit is not a timeout",
        arguments: [
            "", "S", "1", "-1S", "1.5S", "123456789S", "1s", "١S",
        ]
    )
    func notATimeout(_ text: String) {
        #expect(GRPCTimeout.parse(text) == nil)
    }

    @Test(
        "a timeout is rounded up, so that the peer does not give up early, and limited to eight digits",
        arguments: [
            (Duration.milliseconds(50), "50000000n"), (.seconds(1), "1000000u"), (.seconds(86_400), "86400000m"),
            (.nanoseconds(100_000_001), "100001u"), (.nanoseconds(99_999_999_001), "100000m"),
            (.seconds(-1), "0n"), (.seconds(Int64.max), "99999999H"),
        ]
    )
    func timeoutText(_ duration: Duration, _ text: String) {
        #expect(GRPCTimeout.format(duration) == text)
    }
}
