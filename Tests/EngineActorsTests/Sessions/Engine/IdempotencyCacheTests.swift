// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("Repeated requests", .timeLimit(.minutes(10)))
struct IdempotencyCacheTests {
    @Test("the same request id has separate answers in separate sessions")
    func sessions() {
        var memory = IdempotencyCache<Int>()
        memory.remember(1, to: "a", of: "x")
        memory.remember(2, to: "a", of: "y")
        #expect(memory.answer(to: "a", of: "x") == 1)
        #expect(memory.answer(to: "a", of: "y") == 2)
        #expect(memory.answer(to: "b", of: "x") == nil)
        #expect(memory.answer(to: "a", of: "z") == nil)
    }

    @Test("a failed request may be tried again")
    func failures() {
        var memory = IdempotencyCache<Int>()
        memory.remember(1, to: "a", of: "")
        memory.forget("a", of: "")
        #expect(memory.answer(to: "a", of: "") == nil)
        memory.remember(2, to: "a", of: "")
        // The id counts once towards the limit, no matter how often it was tried.
        for number in 1..<IdempotencyCache<Int>.idLimit { memory.remember(number, to: "\(number)", of: "") }
        #expect(memory.answer(to: "a", of: "") == 2)
    }

    @Test("the oldest ids and the oldest sessions are forgotten")
    func bounds() {
        var memory = IdempotencyCache<Int>()
        let limit = IdempotencyCache<Int>.idLimit
        for number in 0...limit { memory.remember(number, to: "\(number)", of: "x") }
        #expect(memory.answer(to: "0", of: "x") == nil)
        #expect(memory.answer(to: "1", of: "x") == 1)
        #expect(memory.answer(to: "\(limit)", of: "x") == limit)
        for number in 1..<IdempotencyCache<Int>.sessionLimit { memory.remember(number, to: "a", of: "s\(number)") }
        #expect(memory.answer(to: "1", of: "x") == 1)
        memory.remember(0, to: "a", of: "one more")
        #expect(memory.answer(to: "1", of: "x") == nil)
    }

    /// Answers each request with the number of times that it has done the work.
    private actor Worker {
        private let requests = RepeatedRequests<Int>()
        private var count = 0

        func ask(_ id: String, failing: Bool = false) async throws(EngineError) -> Int {
            try await requests.answer(id, of: nil) { () async throws(EngineError) in
                await Task.yield()
                try self.work(failing)
                return self.count
            }
        }

        private func work(_ isFailing: Bool) throws(EngineError) {
            count += 1
            if isFailing { throw EngineError(.unavailable, "the worker was told to fail") }
        }
    }

    @Test("a repeated request gets the first answer, even while the first request is still in progress")
    func again() async throws {
        let worker = Worker()
        async let first = worker.ask("a")
        async let second = worker.ask("a")
        let answers = try await (first, second)
        #expect(answers == (1, 1))
        #expect(try await worker.ask("a") == 1)
        #expect(try await worker.ask("b") == 2)
        #expect(try await worker.ask("") == 3)
        #expect(try await worker.ask("") == 4)
    }

    @Test("the work of a request that failed is done again")
    func failed() async throws {
        let worker = Worker()
        await #expect(throws: EngineError.self) { try await worker.ask("a", failing: true) }
        #expect(try await worker.ask("a") == 2)
    }
}
