// SPDX-License-Identifier: Apache-2.0

@testable import EngineRuntime
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
    func crashTag() -> UInt32 { CrashTag.ofThread }
    /// The tag of a thread that a C library starts.
    func startedTag(isLent: Bool) -> UInt32 { isLent ? CrashTag.lend(tagOfNewThread) : tagOfNewThread() }
}

private func tagOfNewThread() -> UInt32 {
    var thread = pthread_t()
    let status = unsafe pthread_create(
        &thread,
        nil,
        { _ in unsafe UnsafeMutableRawPointer(bitPattern: UInt(CrashTag.ofThread)) },
        nil
    )
    var result: UnsafeMutableRawPointer?
    guard status == 0, unsafe pthread_join(thread, &result) == 0 else { return .max - 1 }
    return UInt32(UInt(bitPattern: result))
}

private func countThreads(named name: String) -> Int {
    guard let directory = unsafe opendir("/proc/self/task") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while let entry = unsafe readdir(directory) {
        let path = unsafe withUnsafeBytes(of: unsafe entry.pointee.d_name) { id in
            "/proc/self/task/\(unsafe String(decoding: id.prefix { $0 != 0 }, as: UTF8.self))/comm"
        }
        let file = unsafe open(path, O_RDONLY)
        var line = [UInt8](repeating: 0, count: 16)
        let length = unsafe read(file, &line, line.count)
        close(file)
        if length > 0, String(decoding: line.prefix(length - 1), as: UTF8.self) == name { count += 1 }
    }
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

    @Test(
        "lends its crash tag to threads that a library starts, and to no others",
        arguments: [0, 1, 4096, UInt32.max]
    )
    func crashTags(_ tag: UInt32) async {
        let worker = CrashTag.$current.withValue(tag) { Worker("tagged") }
        #expect(await worker.startedTag(isLent: false) == 0)
        #expect(await worker.startedTag(isLent: true) == tag)
        #expect(await worker.startedTag(isLent: false) == 0)
        #expect(await worker.crashTag() == tag)
    }

    @Test("ends its thread when it is released")
    func threads() async throws {
        var last: Worker? = Worker("brief")
        _ = await last?.threadName()
        #expect(countThreads(named: "brief") == 1)
        for _ in 0..<200 { _ = await Worker("brief").threadName() }
        last = nil
        while countThreads(named: "brief") > 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
}
