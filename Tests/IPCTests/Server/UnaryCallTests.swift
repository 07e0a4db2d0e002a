// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import EngineRuntime
import IPCTestKit
import Testing

@testable import Server
@testable import Wire

@Suite("Unary calls", .timeLimit(.minutes(10)))
struct UnaryCallTests {
    @Test("a call and its work end at the deadline, even if the client does nothing")
    func deadline() async throws {
        try await withServer { service, path in
            let client = try RawClient(path)
            let request = [0x0A, 5] + Array("/slow".utf8)
            client.send(
                RawClient.preface
                    + RawClient.headers("/engine.v1.Engine/Probe", stream: 1, more: [("grpc-timeout", "50m")])
                    + RawClient.frame(0, 1, 1, [0, 0, 0, 0, UInt8(request.count)] + request)
            )
            while service.world.withLock({ $0.cancelledProbeCount }) == 0 { await Task.yield() }
        }
    }

    @Test("requests for stills are numbered in order of arrival, whatever the order in which their tasks run")
    func orderOfStills() async throws {
        try await withServer { service, path in
            let client = try RawClient(path)
            let times = (0..<32).map { MediaTime.seconds(Double($0)) }
            var bytes = RawClient.preface
            for (time, stream) in zip(times, stride(from: UInt32(1), through: 63, by: 2)) {
                bytes += RawClient.headers("/engine.v1.Engine/Snapshot", stream: stream)
                let request = StillRequest(.snapshot, of: .source("/film.mkv"), at: time)
                bytes += RawClient.frame(0, 1, stream, request.framed())
            }
            client.send(bytes)
            while service.world.withLock({ $0.stillArrivals.count }) < times.count { await Task.yield() }
            let arrivals = service.world.withLock { $0.stillArrivals }
            #expect(arrivals.sorted { $0.value < $1.value }.map(\.key) == times)
        }
    }

    @Test("a client may have as many running calls as the limit, and more once these are done")
    func atWork() async throws {
        var limits = ServerLimits()
        limits.runningTasksPerConnection = 1
        try await withServer(limits: limits) { _, path in
            let client = try await EngineClient.connect(socket: path)
            for _ in 0..<3 { _ = try await client.probe("/film.mkv") }
            let first = await withTaskGroup(of: EngineClientError.Status?.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do throws(EngineClientError) { _ = try await client.probe("/slow") } catch {
                            return error.status
                        }
                        return nil
                    }
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
            #expect(first == .resourceExhausted, "one is running, so the other is refused")
            await client.close()
        }
    }

    @Test(
        "only a request of exactly one whole message is answered",
        arguments: [
            ([0, 0, 0, 0, 0], true), ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], false), ([0, 0, 0, 0, 0, 0, 0], false),
        ] as [([UInt8], Bool)]
    )
    func messages(body: [UInt8], isAnswered: Bool) async throws {
        try await withServer { _, path in
            let client = try RawClient(path)
            let call = RawClient.headers("/engine.v1.Engine/ListSessions", stream: 1) + RawClient.frame(0, 1, 1, body)
            client.send(RawClient.preface + call)
            #expect(await client.readKinds(ofStream: 1).contains(0) == isAnswered)
        }
    }
}
