// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sessions

@Suite("Repeated requests", .timeLimit(.minutes(10)))
struct AnswerMemoryTests {
    @Test("the same request id has separate answers in separate sessions")
    func sessions() {
        var memory = AnswerMemory<Int>()
        memory.remember(1, to: "a", of: "x")
        memory.remember(2, to: "a", of: "y")
        #expect(memory.answer(to: "a", of: "x") == 1)
        #expect(memory.answer(to: "a", of: "y") == 2)
        #expect(memory.answer(to: "b", of: "x") == nil)
        #expect(memory.answer(to: "a", of: "z") == nil)
    }

    @Test("a failed request may be tried again")
    func failures() {
        var memory = AnswerMemory<Int>()
        memory.remember(1, to: "a", of: "")
        memory.forget("a", of: "")
        #expect(memory.answer(to: "a", of: "") == nil)
        memory.remember(2, to: "a", of: "")
        // The id counts once towards the limit, no matter how often it was tried.
        for number in 1..<AnswerMemory<Int>.idLimit { memory.remember(number, to: "\(number)", of: "") }
        #expect(memory.answer(to: "a", of: "") == 2)
    }

    @Test("the oldest ids and the oldest sessions are forgotten")
    func bounds() {
        var memory = AnswerMemory<Int>()
        let limit = AnswerMemory<Int>.idLimit
        for number in 0...limit { memory.remember(number, to: "\(number)", of: "x") }
        #expect(memory.answer(to: "0", of: "x") == nil)
        #expect(memory.answer(to: "1", of: "x") == 1)
        #expect(memory.answer(to: "\(limit)", of: "x") == limit)
        for number in 1..<AnswerMemory<Int>.sessionLimit { memory.remember(number, to: "a", of: "s\(number)") }
        #expect(memory.answer(to: "1", of: "x") == 1)
        memory.remember(0, to: "a", of: "one more")
        #expect(memory.answer(to: "1", of: "x") == nil)
    }
}
