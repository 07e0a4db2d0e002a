// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Connection watch")
struct ConnectionWatchTests {
    private enum Event: Sendable {
        case began(UInt64)
        /// Answered on a new connection.
        case answered(UInt64)
        /// Answered on a connection that was used before.
        case answeredAgain(UInt64)
        case ended(UInt64)
        /// Ended, and the connection was closed.
        case broke(UInt64)
    }

    private static let here = ResourceURL.Origin(isSecure: false, host: "h", port: 80)
    private static let there = ResourceURL.Origin(isSecure: false, host: "other", port: 80)

    /// The transfers from 10 on belong to another origin.
    private func watch(_ events: [Event]) -> ConnectionWatch {
        var watch = ConnectionWatch()
        for event in events {
            switch event {
            case .began(let id): watch.began(id, at: id < 10 ? Self.here : Self.there)
            case .answered(let id): watch.answered(id, isNewConnection: true)
            case .answeredAgain(let id): watch.answered(id, isNewConnection: false)
            case .ended(let id): watch.ended(id, keepsConnection: true, now: 0)
            case .broke(let id): watch.ended(id, keepsConnection: false, now: 0)
            }
        }
        return watch
    }

    @Test(
        "A silent transfer is blocked if the server answers others and has never served two connections at once",
        arguments: [
            ([.began(2)], false),
            ([.began(1), .began(2)], false),
            ([.began(1), .began(2), .answered(1)], true),
            ([.began(2), .began(1), .answered(1)], true),
            ([.began(1), .began(2), .answered(1), .ended(1)], true),
            // The other connection is closed, so the server may serve this one.
            ([.began(1), .began(2), .answered(1), .broke(1)], false),
            ([.began(1), .answered(1), .began(2)], true),
            ([.began(1), .answered(1), .ended(1), .began(2)], false),
            ([.began(1), .answered(1), .ended(1), .began(2), .began(3), .answeredAgain(3)], true),
            ([.began(10), .began(2), .answered(10)], false),
            ([.began(1), .began(2), .answered(1), .answered(2)], false),
            // Two connections were served at once.
            ([.began(1), .began(3), .answered(1), .answered(3), .began(2)], false),
            ([.began(1), .began(3), .answered(1), .ended(1), .answered(3), .began(2)], false),
            // They were served one after the other.
            ([.began(1), .began(3), .answered(1), .broke(1), .answered(3), .began(2)], true),
            ([.began(1), .answered(1), .ended(1), .began(3), .answeredAgain(3), .began(2)], true),
        ] as [([Event], Bool)]
    )
    private func blocks(events: [Event], isBlocked: Bool) { #expect(watch(events).isBlocked(2) == isBlocked) }

    @Test(
        "A connection closed without an answer counts as rejected while others are open, or soon after one was closed",
        arguments: [
            ([.began(1), .answered(1), .broke(1), .began(2)], 1.9, true),
            ([.began(1), .answered(1), .broke(1), .began(2)], 2.1, false),
            ([.began(1), .answered(1), .ended(1), .began(2)], 0, false),
            ([.began(1), .broke(1), .began(2)], 0, false),
            ([.began(1), .answered(1), .broke(1), .began(2), .answered(2)], 0, false),
            ([.began(10), .answered(10), .broke(10), .began(2)], 0, false),
            ([.began(1), .began(2), .answered(1)], 9, true),
            ([.began(1), .began(2), .answered(1), .ended(1)], 9, true),
            ([.began(1), .answered(1), .ended(1), .began(2), .began(3)], 9, true),
            ([.began(2), .began(3)], 9, false),
        ] as [([Event], Double, Bool)]
    )
    private func rejects(events: [Event], seconds: Double, isRejected: Bool) {
        #expect(watch(events).isRejected(2, now: Int64(seconds * 1e9)) == isRejected)
    }
}
