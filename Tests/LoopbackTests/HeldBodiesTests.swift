// SPDX-License-Identifier: Apache-2.0

import EngineModel
import NIOCore
import Testing

@testable import Loopback

@Suite("Bodies of responses to clients that do not read")
struct HeldBodiesTests {
    private static let now = NIODeadline.uptimeNanoseconds(100_000_000_000)
    private let held = HeldBodies(limit: 100, patience: .seconds(2))

    private func response(_ body: ByteBody, copy: Int = 0, silent seconds: Int64) -> HeldBodies.Response {
        HeldBodies.Response(body: body, copyByteCount: copy, progress: Self.now - .seconds(seconds))
    }

    private func body(_ count: Int) -> ByteBody { ByteBody([UInt8](repeating: 1, count: count)) }

    @Test("Within the limit, no client is disconnected, however long ago it read")
    func within() {
        let responses = (0..<10).map { response(body(10), silent: 100 + $0) }
        #expect(held.excess(responses, now: Self.now).isEmpty)
        #expect(held.excess([], now: Self.now).isEmpty)
    }

    @Test(
        "Beyond the limit, the clients that have read nothing for longest are disconnected, and only as many as necessary"
    )
    func beyond() {
        let responses = [response(body(50), silent: 5), response(body(60), silent: 9), response(body(60), silent: 7)]
        #expect(held.excess(responses, now: Self.now) == [1, 2])
    }

    @Test("Clients that read are not disconnected")
    func reading() {
        let responses = [response(body(200), silent: 1), response(body(1), silent: 3), response(body(200), silent: 0)]
        #expect(held.excess(responses, now: Self.now) == [1])
        #expect(held.excess([response(body(101), silent: 2)], now: Self.now) == [0], "at the limit of patience")
    }

    @Test("A body that several clients receive counts once, and until the last of them has it")
    func shared() {
        let shared = body(90)
        let many = (0..<50).map { response(shared, silent: 3 + $0) }
        #expect(held.excess(many, now: Self.now).isEmpty)
        // All responses with the shared body are given up before it is gone.
        let excess = held.excess(many + [response(body(20), silent: 0)], now: Self.now)
        #expect(excess == (0..<50).reversed())
    }

    @Test("Each connection's own copy of a piece counts, until the connection is given up")
    func copies() {
        let shared = body(10)
        let many = (0..<9).map { response(shared, copy: 10, silent: 3 + $0) }
        #expect(held.excess(many, now: Self.now).isEmpty, "exactly the limit")
        let more = many + [response(shared, copy: 15, silent: 20), response(shared, copy: 5, silent: 0)]
        #expect(held.excess(more, now: Self.now) == [9, 8], "15 bytes are not enough, 25 are")
    }
}
