// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Stills

@Suite("The queue of still requests")
struct StillQueueTests {
    @Test("serves the newest of each kind, and every request that waits its turn")
    func newest() throws {
        var queue = StillQueue()
        let old = try queue.take(.thumbnail, waitsItsTurn: false)
        let patient = try queue.take(.thumbnail, waitsItsTurn: true)
        let other = try queue.take(.snapshot, waitsItsTurn: false)
        let new = try queue.take(.thumbnail, waitsItsTurn: false)
        #expect([old, patient, other, new].map(queue.isCurrent) == [false, true, true, true])
        queue.close()
        #expect([old, patient, other, new].allSatisfy { !queue.isCurrent($0) })
        #expect(throws: EngineError.self) { _ = try queue.take(.snapshot, waitsItsTurn: false) }
    }

    @Test("refuses requests over the limit")
    func limit() throws {
        var queue = StillQueue()
        var tickets: [StillQueue.Ticket] = []
        for _ in 0..<StillQueue.limit { tickets.append(try queue.take(.snapshot, waitsItsTurn: true)) }
        #expect(throws: EngineError.self) { _ = try queue.take(.snapshot, waitsItsTurn: true) }
        queue.giveBack(tickets[0])
        _ = try queue.take(.snapshot, waitsItsTurn: true)
        _ = try queue.take(.snapshot, waitsItsTurn: false)
    }
}
