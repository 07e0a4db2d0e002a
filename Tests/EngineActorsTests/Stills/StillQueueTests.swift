// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Stills

@Suite("The queue of still requests")
struct StillQueueTests {
    @Test("serves the newest request of each kind, and every request in line")
    func newest() throws {
        var queue = StillQueue()
        let old = try queue.take(.thumbnail, .newest(arrival: 1))
        let patient = try queue.take(.thumbnail, .inLine)
        let other = try queue.take(.snapshot, .newest(arrival: 2))
        let new = try queue.take(.thumbnail, .newest(arrival: 4))
        let late = try queue.take(.thumbnail, .newest(arrival: 3))
        #expect([old, patient, other, new, late].map(queue.isCurrent) == [false, true, true, true, false])
        queue.close()
        #expect([old, patient, other, new].allSatisfy { !queue.isCurrent($0) })
        #expect(throws: EngineError.self) { _ = try queue.take(.snapshot, .newest(arrival: 5)) }
    }

    @Test("rejects requests in line over the limit, which does not apply to others")
    func limit() throws {
        var queue = StillQueue()
        var tickets: [StillQueue.Ticket] = []
        for _ in 0..<StillQueue.limit { tickets.append(try queue.take(.snapshot, .inLine)) }
        #expect(throws: EngineError.self) { _ = try queue.take(.snapshot, .inLine) }
        queue.giveBack(tickets[0])
        _ = try queue.take(.snapshot, .inLine)
        _ = try queue.take(.snapshot, .newest(arrival: 1))
    }
}
