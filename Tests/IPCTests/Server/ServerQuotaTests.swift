// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server

@Suite("Limits on what clients hold")
struct ServerQuotaTests {
    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        limits.runningTasksPerConnection = 2
        (limits.watches, limits.watchesPerConnection) = (3, 2)
        (limits.renderers, limits.renderersPerConnection) = (3, 2)
        limits.handovers = 1
        limits.heldRequestBytes = 100
        return limits
    }()

    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let take: @Sendable (ClientQuota) -> Bool
        let giveBack: @Sendable (ClientQuota) -> Void
    }

    private static let watches = Kind(testDescription: "watches") {
        $0.takeWatch()
    } giveBack: {
        $0.giveBackWatch()
    }
    private static let renderers = Kind(testDescription: "renderers") {
        $0.takeRenderer()
    } giveBack: {
        $0.giveBackRenderer()
    }

    @Test("one client has at most its share, all clients at most the total", arguments: [watches, renderers])
    func shares(_ kind: Kind) {
        let server = ServerQuota(Self.limits)
        let (first, second) = (ClientQuota(of: server), ClientQuota(of: server))
        #expect((1...3).map { _ in kind.take(first) } == [true, true, false])
        #expect((1...2).map { _ in kind.take(second) } == [true, false])
        kind.giveBack(first)
        #expect((1...2).map { _ in kind.take(second) } == [true, false])
        #expect(!kind.take(first))
    }

    @Test("running tasks, watches and renderers are counted separately")
    func kinds() {
        let client = ClientQuota(of: ServerQuota(Self.limits))
        for _ in 0..<2 { #expect(client.takeTask() && client.takeWatch() && client.takeRenderer()) }
    }

    @Test("running tasks are limited for each client only")
    func tasks() {
        let server = ServerQuota(Self.limits)
        let clients = (0..<3).map { _ in ClientQuota(of: server) }
        for client in clients { #expect((1...3).map { _ in client.takeTask() } == [true, true, false]) }
        clients[0].giveBackTask()
        #expect(clients[0].takeTask())
    }

    @Test("request bytes and handovers are limited for all clients together")
    func totals() {
        let server = ServerQuota(Self.limits)
        server.holdRequestBytes(60, insteadOf: 0)
        #expect(server.hasRoom(forRequestBytes: 40) && !server.hasRoom(forRequestBytes: 41))
        server.holdRequestBytes(10, insteadOf: 60)
        #expect(server.hasRoom(forRequestBytes: 90) && !server.hasRoom(forRequestBytes: 91))
        #expect(server.hasRoomForHandover)
        server.addHandover()
        #expect(!server.hasRoomForHandover)
        server.removeHandover()
        #expect(server.hasRoomForHandover)
    }
}
