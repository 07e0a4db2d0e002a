// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Glibc
import Testing

private actor Worker {
    private let executor: ThreadExecutor
    private var log: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ name: String) { executor = ThreadExecutor(name: name) }

    func threadName() -> String { currentThreadName() }
    func mayBlock() -> Bool { isBlockingThread }
    func append(_ value: Int) { log.append(value) }
    func values() -> [Int] { log }
}

private func threadCount() -> Int {
    guard let directory = unsafe opendir("/proc/self/task") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}

@Suite("A thread of its own", .timeLimit(.minutes(10)), .serialized)
struct ThreadExecutorTests {
    @Test("runs an actor on one thread that carries its name and may block")
    func name() async {
        let worker = Worker("a-name-longer-than-fifteen")
        #expect(await worker.threadName() == "a-name-longer-t")
        #expect(await worker.mayBlock())
        #expect(!isBlockingThread)
    }

    @Test("runs jobs in the order in which they were enqueued")
    func order() async {
        let worker = Worker("order")
        for value in 0..<2000 { await worker.append(value) }
        #expect(await worker.values() == Array(0..<2000))
    }

    @Test("runs every job of many concurrent callers")
    func many() async {
        let worker = Worker("many")
        await withTaskGroup(of: Void.self) { group in
            for value in 0..<5000 { group.addTask { await worker.append(value) } }
        }
        #expect(await worker.values().sorted() == Array(0..<5000))
    }

    @Test("ends its thread when it is released")
    func threads() async throws {
        _ = await Worker("warm").threadName()
        let before = threadCount()
        for _ in 0..<200 { _ = await Worker("brief").threadName() }
        for _ in 0..<100 where threadCount() > before + 4 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(threadCount() <= before + 4)
    }
}
