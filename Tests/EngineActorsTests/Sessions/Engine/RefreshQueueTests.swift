// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Sessions

/// Waits for a flag on a thread of its own, because the wait blocks.
private actor FlagWatch {
    private nonisolated let executor = ThreadExecutor(name: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func wait(for flag: InterruptFlag, then change: ChangeSignal) {
        flag.wait(atMost: .max / 2)
        change.signal()
    }
}

/// A source whose server answers when a test says so. Refreshes go through a queue, like those of a session.
private final class RefreshedSource: Sendable {
    private struct State {
        var address = (url: "old", key: "none")
        /// The URLs that the server was asked for.
        var requests: [String] = []
        /// What the server answers for each URL: an error, or `nil` for a success.
        var answers: [String: EngineError?] = [:]
    }

    private let queue = RefreshQueue()
    private let state = Locked(State())
    private let change = ChangeSignal()

    /// The URL and the key from which the source is fetched.
    var address: String { state.withLock { "\($0.address.url), \($0.address.key)" } }
    var requests: [String] { state.withLock { $0.requests } }

    /// From now on, the server answers requests for a URL, including those that already wait.
    func answer(_ url: String, _ error: EngineError? = nil) {
        state.withLock { $0.answers[url] = .some(error) }
        change.signal()
    }

    /// Returns once the server has been asked `count` times.
    func untilAsked(_ count: Int) async {
        while true {
            let seen = change.signalCount
            if requests.count >= count { return }
            await change.wait(after: seen)
        }
    }

    /// - Returns: whether the refresh itself was carried out; `false` if a newer one was carried out instead.
    func refresh(url: String? = nil, key: String? = nil) async throws(EngineError) -> Bool {
        var refresh = SourceRefresh()
        refresh.url = url
        if let key { refresh.headers = [try HTTPHeader(name: "X-Key", value: key)] }
        let carriedOut = try await queue.perform(refresh, of: self) { interrupt async throws(EngineError) -> Bool in
            let old = state.withLock { $0.address }
            let next = (url: url ?? old.url, key: key ?? old.key)
            Task { await FlagWatch().wait(for: interrupt, then: change) }
            // Ends the task above.
            defer { interrupt.raise() }
            state.withLock { $0.requests.append(next.url) }
            change.signal()
            while true {
                let seen = change.signalCount
                if interrupt.isUp { throw EngineError(.cancelled, "interrupted") }
                if let answer = state.withLock({ $0.answers[next.url] }) {
                    if let answer { throw answer }
                    state.withLock { $0.address = next }
                    return true
                }
                await change.wait(after: seen)
            }
        }
        return carriedOut ?? false
    }
}

@Suite("The order of refreshes", .timeLimit(.minutes(10)))
struct RefreshQueueTests {
    private let source = RefreshedSource()

    @Test("A newer URL does not wait for a server that is silent, and stays, whatever that server answers later")
    func newestWins() async throws {
        source.answer("good")
        async let first = source.refresh(url: "silent")
        await source.untilAsked(1)
        #expect(try await source.refresh(url: "good"))
        #expect(source.address == "good, none")
        // The first refresh is answered with the second, and does not ask the server again.
        let isAskedAgain = try await first
        #expect(!isAskedAgain)
        source.answer("silent")
        #expect(source.address == "good, none" && source.requests == ["silent", "good"])
    }

    @Test("A refresh waits for an older one that sets something else, and keeps what that one has set")
    func buildsOnOlder() async throws {
        async let first = source.refresh(url: "slow")
        await source.untilAsked(1)
        async let second = source.refresh(key: "2")
        source.answer("slow")
        let carriedOut = try await (first, second)
        #expect(carriedOut == (true, true))
        #expect(source.address == "slow, 2")
    }

    @Test("If a newer refresh fails, the older one that it has replaced is carried out")
    func olderIsTriedAgain() async throws {
        source.answer("refused", EngineError(.sourceRefused, "403"))
        async let first = source.refresh(url: "slow")
        await source.untilAsked(1)
        await #expect(throws: EngineError(.sourceRefused, "403")) { try await source.refresh(url: "refused") }
        await source.untilAsked(3)
        source.answer("slow")
        let isCarriedOut = try await first
        #expect(isCarriedOut)
        #expect(source.address == "slow, none" && source.requests == ["slow", "refused", "slow"])
    }

    @Test("Of many refreshes at once, all succeed, and the source has the URL of the last one that was carried out")
    func many() async throws {
        for number in 0..<60 { source.answer("\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 { group.addTask { [source] in _ = try await source.refresh(url: "\(number)") } }
            try await group.waitForAll()
        }
        #expect(source.requests.last.map { "\($0), none" } == source.address)
    }

    @Test("A refresh that fails changes nothing for those after it")
    func failureIsIsolated() async throws {
        let first = Task { [source] in try await source.refresh(url: "refused", key: "1") }
        await source.untilAsked(1)
        let second = Task { [source] in try await source.refresh(key: "2") }
        source.answer("old")
        source.answer("refused", EngineError(.sourceRefused, "403"))
        await #expect(throws: EngineError(.sourceRefused, "403")) { try await first.value }
        #expect(try await second.value)
        #expect(source.address == "old, 2")
    }

    @Test("A refresh that its client cancels changes nothing, whether it is being carried out or waits")
    func cancellation() async throws {
        let running = Task { [source] in try await source.refresh(url: "silent") }
        await source.untilAsked(1)
        let waiting = Task { [source] in try await source.refresh(key: "1") }
        waiting.cancel()
        await #expect(throws: EngineError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: EngineError(.cancelled, "interrupted")) { try await running.value }
        #expect(source.address == "old, none" && source.requests == ["silent"])
        source.answer("old")
        #expect(try await source.refresh(key: "2"))
        #expect(source.address == "old, 2")
    }
}

@Suite("Which refresh comes next")
final class RefreshOrderTests {
    private var order = RefreshOrder()

    private func add(_ id: UInt64, url: String? = nil, key: String? = nil) throws {
        var change = SourceRefresh()
        change.url = url
        if let key { change.headers = [try HTTPHeader(name: "X-Key", value: key)] }
        order.add(id, change)
    }

    /// - Returns: the interrupt flag of the refresh; `nil` if it is not the turn of the refresh.
    private func take(_ id: UInt64) -> InterruptFlag? {
        if case .now(let interrupt)? = order.turn(of: id) { interrupt } else { nil }
    }

    private func failed(_ id: UInt64, wasInterrupted: Bool) -> Bool { order.failed(id, wasInterrupted: wasInterrupted) }

    @Test("The newest refresh that replaces all before it comes first; others keep their order")
    func sequence() throws {
        try add(1, url: "a")
        try add(2, url: "b", key: "b")
        try add(3, url: "c")
        #expect(take(1) == nil && take(3) == nil)
        #expect(take(2) != nil)
        order.succeeded(2)
        guard case .replaced? = order.turn(of: 1) else {
            Issue.record("1 is not replaced")
            return
        }
        #expect(take(3) != nil)
        order.succeeded(3)
        #expect(order.isEmpty)
    }

    @Test("The refresh that is being carried out is interrupted only by one that replaces it")
    func interruption() throws {
        try add(1, url: "a")
        let flag = try #require(take(1))
        try add(2, key: "b")
        #expect(!flag.isUp)
        try add(3, url: "c", key: "c")
        #expect(flag.isUp)
        // Not before the first refresh has ended.
        #expect(take(3) == nil)
        #expect(failed(1, wasInterrupted: true))
        #expect(take(1) == nil && take(3) != nil)
        #expect(!failed(3, wasInterrupted: false))
        #expect(take(1) != nil)
    }

    @Test("A refresh that is interrupted by its session does not get another turn")
    func end() throws {
        try add(1, url: "a")
        try #require(take(1)).raise()
        #expect(!failed(1, wasInterrupted: true))
        #expect(order.isEmpty)
    }
}
