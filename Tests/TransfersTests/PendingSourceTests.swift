// SPDX-License-Identifier: Apache-2.0

import Bindings
import Dispatch
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

@Suite("A source whose server has not answered yet", .timeLimit(.minutes(10)))
struct PendingSourceTests {
    private struct Seen: Sendable {
        var wait: SourceWait?
        var traffic = SourceTraffic()
    }

    @Test("is known while it is being opened, with the reason why it waits and the number of its requests")
    func begins() async throws {
        let origin = try await ScriptedOrigin { _ in [.head("503 Busy", "Retry-After: 60", "Content-Length: 0")] }
        let url = try ResourceURL(origin.url())
        let (seen, see) = AsyncStream.makeStream(of: Seen.self)
        let flag = InterruptFlag()
        async let result = Blocking().run { () -> Result<HTTPSource, EngineError> in
            do throws(EngineError) {
                return .success(
                    try HTTPSources(.on).open(url, HTTPOptions(), interrupt: flag) { source in
                        let waits = source.waits()
                        // This task ends when the source is released.
                        Task { [weak source] in
                            for await delivery in waits {
                                see.yield(Seen(wait: delivery.wait, traffic: source?.traffic ?? SourceTraffic()))
                            }
                        }
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        let first = await seen.first { _ in true }
        #expect(first?.wait == .retrying(status: 503))
        #expect(first.map { $0.traffic.requests > 0 } == true)
        flag.raise()
        guard case .failure(let error) = await result else {
            Issue.record("a source without an answer was opened")
            return
        }
        #expect(error.code == .cancelled)
        try await origin.close()
    }

    @Test("ends the streams of its waits when it is released")
    func ends() async {
        var observers: WaitObservers? = WaitObservers()
        let waits = observers?.stream()
        observers?.notify(.resumed)
        observers = nil
        var count = 0
        if let waits { for await _ in waits { count += 1 } }
        #expect(count == 1)
    }

    @Test("is shared by all that open it meanwhile: one request, and one source")
    func isShared() async throws {
        let gate = DispatchSemaphore(value: 0)
        let film = [UInt8](repeating: 7, count: 10_000)
        let origin = try await ScriptedOrigin { request in
            gate.wait()
            defer { gate.signal() }
            return request.answer(of: film)
        }
        let url = try ResourceURL(origin.url())
        let sources = HTTPSources(.on)
        let (waiting, begin) = AsyncStream.makeStream(of: Void.self)
        let opened = try await withThrowingTaskGroup(of: HTTPSource.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await Blocking().run { () -> Result<HTTPSource, EngineError> in
                        Result { () throws(EngineError) in
                            try sources.open(url, HTTPOptions(), interrupt: InterruptFlag()) { _ in begin.yield() }
                        }
                    }.get()
                }
            }
            var callers = 0
            for await _ in waiting {
                callers += 1
                if callers == 20 { break }
            }
            gate.signal()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(opened.map(ObjectIdentifier.init)).count == 1)
        #expect(origin.requests.withLock { $0.count } == 1)
        try await origin.close()
    }

    @Test("that could not be opened can be opened later")
    func failsTogether() async throws {
        let isThere = Locked(false)
        let origin = try await ScriptedOrigin { request in
            isThere.withLock { $0 } ? request.answer(of: [1, 2, 3]) : [.head("404 Not Found", "Content-Length: 0")]
        }
        let url = try ResourceURL(origin.url())
        let sources = HTTPSources(.on)
        func open() async -> Result<HTTPSource, EngineError> {
            await Blocking().run {
                Result { () throws(EngineError) in
                    try sources.open(url, HTTPOptions(), interrupt: InterruptFlag())
                }
            }
        }
        await #expect(throws: EngineError.self) { try await open().get() }
        isThere.withLock { $0 = true }
        #expect(try await open().get().byteCount == 3)
        try await origin.close()
    }
}
