// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The bytes of sources on disk, with one limit for all of them. New blocks replace the least recently used sources and
/// blocks.
///
/// A full or unwritable disk does not end playback: stored blocks are still read, and sources are kept in memory.
///
/// Thread-safety: safe. Writes run on the cache's own thread. No reader waits for them.
package final class DiskCache: Sendable {
    /// A source on disk.
    package struct Listing: Hashable, Sendable {
        let key: CacheKey
        /// The URL from which it was first fetched.
        package let url: String
        /// The length of the source.
        package let byteCount: Int64
        /// The number of its bytes on disk.
        package let keptByteCount: Int64
        /// In microseconds since 1970.
        package let lastUse: Int64
        package let isInUse: Bool
    }

    private struct Entry {
        let head: BlockFile.Head
        var lastUse: Int64
        /// The number of stored blocks while the source is not in use.
        var blocks: Int
        /// Set while the source is in use.
        var file: BlockFile?
        /// The number of sources that use the file.
        var users = 0

        var blockCount: Int { file?.blockCount ?? blocks }

        /// While the source is not in use, as if its blocks were stored whole.
        var byteCount: Int64 { file?.heldByteCount ?? min(Int64(blocks) * DiskCache.blockByteCount, head.byteCount) }
    }

    private struct State {
        var entries: [CacheKey: Entry] = [:]
        var isLoaded = false
        var waiting: [WakeSignal] = []
        /// The reason why nothing is written. `nil` if the disk can be written.
        var problem: String?
        /// When writing is tried again, in nanoseconds of CLOCK_MONOTONIC.
        var retryTime: Int64 = 0
    }

    /// The maximum number of sources.
    private static let entryLimit = 1000
    /// The time between a failed write and the next attempt, in nanoseconds.
    private static let retryPause: Int64 = 60_000_000_000
    private static let blockByteCount = Int64(RangeCache.blockByteCount)

    package let directory: String
    package let byteLimit: Int64
    private let blockLimit: Int
    private let report: @Sendable (String) -> Void
    private let state = Locked(State())
    private let thread = CacheThread()
    /// Held while the cache is in use, so that no other engine writes to the same files.
    private let lock = Locked<FileLockBox?>(nil)

    /// - Parameters:
    ///   - directory: created, with its parents, if missing.
    ///   - report: called with a message for users when the disk cannot be used; only the first time, until the cache
    ///     is cleared.
    package init(directory: String, byteLimit: Int64, report: @escaping @Sendable (String) -> Void) {
        self.directory = directory
        self.byteLimit = byteLimit
        self.report = report
        blockLimit = max(16, Int(byteLimit / Self.blockByteCount))
        thread.add { [weak self] in self?.load() }
    }

    deinit { thread.close() }

    /// Blocks until the list of sources on disk has been read.
    package func prepare() {
        let signal = WakeSignal()
        let isLoaded = state.withLock { state in
            if !state.isLoaded { state.waiting.append(signal) }
            return state.isLoaded
        }
        if !isLoaded { signal.wait(atMost: .max / 2) }
    }

    /// The reason why nothing is written to disk. `nil` if the disk can be written.
    package var problem: String? { state.withLock { $0.problem } }

    package var byteCount: Int64 {
        Int64(state.withLock { $0.entries.values.reduce(0) { $0 + $1.blockCount } }) * Self.blockByteCount
    }

    /// The sources on disk, the most recently used one first.
    package var listings: [Listing] {
        state.withLock { Array($0.entries.values) }.map { entry in
            Listing(
                key: entry.head.key,
                url: entry.head.url,
                byteCount: entry.head.byteCount,
                keptByteCount: entry.byteCount,
                lastUse: entry.lastUse,
                isInUse: entry.users > 0
            )
        }.sorted { $0.lastUse > $1.lastUse }
    }

    /// Whether a source with this length may be on disk.
    func mayHave(_ byteCount: Int64) -> Bool {
        state.withLock { $0.entries.values.contains { $0.head.byteCount == byteCount && $0.blockCount > 0 } }
    }

    /// The source with this version at the same URL. `nil` if there is none.
    func source(_ version: VersionName) -> BlockFile.Head? {
        state.withLock { $0.entries.values.first { $0.head.version == version && $0.blockCount > 0 }?.head }
    }

    /// Waits until the work that has been requested so far is done, e.g. until received blocks are written.
    package func settle() async {
        await withCheckedContinuation { done in perform { done.resume() } }
    }

    /// Runs work that reads or writes the disk on the thread of the cache, in order.
    ///
    /// - Parameter isUrgent: whether a reader waits for the result; urgent work runs first.
    func perform(isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void) {
        thread.add(isUrgent: isUrgent, work)
    }
}

/// Files. Everything here runs on the thread of the cache, except `clear`.
extension DiskCache {
    private func load() {
        var entries: [CacheKey: Entry] = [:]
        do throws(Errno) {
            let box = FileLockBox(try FileLock("\(directory)/lock", makingDirectory: directory))
            lock.withLock { $0 = box }
            var folder = try Directory(FilePath(directory))
            while let found = try folder.next() {
                let name = String(decoding: found.name, as: UTF8.self)
                guard let end = name.lastIndex(of: "."), let key = CacheKey(name: String(name[..<end])) else {
                    continue
                }
                // Without its table, a file of bytes is useless.
                guard name.hasSuffix(".blocks"), let entry = try entry(key) else {
                    if !NamedFile.exists(Array(BlockFile.tablePath(key, in: directory).utf8)) {
                        try BlockFile.remove(key, in: directory)
                    }
                    continue
                }
                entries[key] = entry
            }
        } catch {
            let text = error.isHeldElsewhere ? "another engine uses it" : "\(error)"
            fail("the cache in \(directory) cannot be used: \(text)", isFinal: lock.withLock { $0 == nil })
        }
        let waiting = state.withLock { [entries] state in
            state.entries = entries
            state.isLoaded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for signal in waiting { signal.call() }
        makeRoom(for: 0)
    }

    /// Reads the entry of a source that an earlier process has stored. Returns `nil`, and removes the source, if its
    /// table is damaged or its bytes are missing.
    private func entry(_ key: CacheKey) throws(Errno) -> Entry? {
        let table = try SparseFile(BlockFile.tablePath(key, in: directory), isNew: false)
        guard let head = BlockFile.Head(try table.read(at: 0, count: BlockFile.Head.byteCount)), head.key == key else {
            try BlockFile.remove(key, in: directory)
            return nil
        }
        let lastUse = try table.status().changedUnixMicroseconds
        let bytes: SparseFile
        do throws(Errno) {
            bytes = try SparseFile(BlockFile.bytesPath(key, in: directory), isNew: false)
        } catch {
            guard error.isNotFound else { throw error }
            try BlockFile.remove(key, in: directory)
            return nil
        }
        let allocated = try bytes.status().allocatedByteCount
        return Entry(
            head: head,
            lastUse: lastUse,
            blocks: Int((allocated + Self.blockByteCount - 1) / Self.blockByteCount)
        )
    }

    /// Records a problem. Nothing is written until `retryTime`, or never again if the problem is final.
    private func fail(_ text: String, isFinal: Bool = false) {
        let isFirst = state.withLock { state in
            defer {
                state.problem = text
                state.retryTime = isFinal ? .max : monotonicNanoseconds() + Self.retryPause
            }
            return state.problem == nil && state.retryTime == 0
        }
        if isFirst { report(text + "; sources on servers are kept in memory only") }
    }

    private var isWritable: Bool { state.withLock { $0.problem == nil || monotonicNanoseconds() >= $0.retryTime } }

    /// Opens or creates the file of a source; the caller must call `close`. Returns `nil` if the file cannot be opened
    /// or created.
    func open(_ head: BlockFile.Head) -> BlockFile? {
        let now = wallClockSeconds() * 1_000_000
        if let file = state.withLock({ state -> BlockFile? in
            guard let file = state.entries[head.key]?.file else { return nil }
            state.entries[head.key]?.users += 1
            return file
        }) {
            return file
        }
        let isKnown = state.withLock { $0.entries[head.key] != nil }
        guard isKnown || isWritable else { return nil }
        do throws(Errno) {
            var opened = isKnown ? try BlockFile.open(head, in: directory) : nil
            if opened == nil { opened = try BlockFile.make(head, in: directory) }
            guard let file = opened else { return nil }
            state.withLock { state in
                state.entries[head.key] = Entry(head: file.head, lastUse: now, blocks: 0, file: file, users: 1)
            }
            makeRoom(for: 0)
            return file
        } catch {
            state.withLock { $0.entries[head.key] = nil }
            fail("a source cannot be cached in \(directory): \(error)")
            return nil
        }
    }

    /// Ends the use of a file that `open` returned.
    func close(_ file: BlockFile) {
        let key = file.head.key
        let isLast = state.withLock { state in
            guard state.entries[key]?.file === file else { return false }
            state.entries[key]?.users -= 1
            state.entries[key]?.lastUse = wallClockSeconds() * 1_000_000
            guard state.entries[key]?.users == 0 else { return false }
            state.entries[key]?.blocks = file.blockCount
            state.entries[key]?.file = nil
            return true
        }
        guard isLast else { return }
        do throws(Errno) {
            if file.blockCount == 0 { return try remove(key) }
            try file.touch()
        } catch {
            fail("the cache in \(directory) cannot be written: \(error)")
        }
    }

    /// Writes a part of a block of a source, unless the disk cannot be written.
    ///
    /// - Parameter offset: the file offset of the bytes.
    /// - Returns: whether other bytes are already stored there, i.e. the source has changed.
    func write(_ bytes: [UInt8], at offset: Int64, to file: BlockFile) -> Bool {
        guard isWritable else { return false }
        makeRoom(for: 1)
        do throws(Errno) {
            let written = try file.write(bytes, at: offset, now: wallClockSeconds() * 1_000_000)
            state.withLock { $0.problem = nil }
            return written == .differs
        } catch {
            fail("the cache in \(directory) cannot be written: \(error)")
            return false
        }
    }

    /// Drops all blocks of a source that has changed.
    func discard(_ file: BlockFile) {
        do throws(Errno) { try file.drop(file.uses.map(\.block)) } catch {
            fail("the cache in \(directory) cannot be written: \(error)")
        }
    }

    private func remove(_ key: CacheKey) throws(Errno) {
        state.withLock { $0.entries[key] = nil }
        try BlockFile.remove(key, in: directory)
    }

    /// Drops the least recently used sources and blocks, so that `count` more blocks stay within the limit.
    private func makeRoom(for count: Int) {
        let entries = state.withLock { $0.entries }
        let eviction = CacheEviction(
            entries.map { key, entry in
                CacheEviction.Source(
                    key: key,
                    lastUse: entry.lastUse,
                    blocks: entry.file.map { .single($0.blockCount) } ?? .whole(entry.blocks)
                )
            },
            limits: (blockLimit, Self.entryLimit)
        )
        guard eviction.isNeeded(for: count) else { return }
        let victims = eviction.victims(for: count) { entries[$0]?.file?.uses ?? [] }
        do throws(Errno) {
            for (key, blocks) in victims.blocks { try entries[key]?.file?.drop(blocks) }
            for key in victims.sources { try remove(key) }
        } catch {
            fail("the cache in \(directory) cannot be written: \(error)")
        }
    }

    /// Removes a source, or all of them (`nil`), after the work that has been requested so far. A source in use stays
    /// open but loses its blocks.
    ///
    /// - Parameters:
    ///   - url: as in `Listing`.
    ///   - keys: the keys of further sources to remove.
    package func clear(_ url: String?, and keys: Set<CacheKey> = []) async {
        await withCheckedContinuation { done in
            perform {
                self.clearNow(url, keys)
                done.resume()
            }
        }
    }

    private func clearNow(_ url: String?, _ keys: Set<CacheKey>) {
        let chosen = state.withLock { state in
            state.entries.filter { url == nil || $0.value.head.url == url || keys.contains($0.key) }
        }
        do throws(Errno) {
            for (key, entry) in chosen {
                if let file = entry.file { try file.drop(file.uses.map(\.block)) } else { try remove(key) }
            }
            state.withLock { state in
                if state.retryTime != .max { (state.problem, state.retryTime) = (nil, 0) }
            }
        } catch {
            fail("the cache in \(directory) cannot be written: \(error)")
        }
    }
}

/// Owns a `FileLock`, which is not copyable.
private final class FileLockBox: Sendable {
    private let lock: FileLock

    init(_ lock: consuming FileLock) { self.lock = lock }
}

/// The thread that reads the tables and writes the files of a cache.
private final class CacheThread: Sendable {
    private struct Inbox {
        var urgent: [@Sendable () -> Void] = []
        var others: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private actor Worker {
        private let executor = ThreadExecutor(name: "range-cache", niceness: 5)
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

        func run(_ inbox: Locked<Inbox>, _ signal: WakeSignal) {
            var hasEnded = false
            while !hasEnded {
                let (work, isClosed) = inbox.withLock { inbox in
                    let work =
                        inbox.urgent.isEmpty
                        ? (inbox.others.isEmpty ? nil : inbox.others.removeFirst()) : inbox.urgent.removeFirst()
                    return (work, inbox.isClosed)
                }
                if let work { work() } else if isClosed { hasEnded = true } else { signal.wait(atMost: .max / 2) }
            }
        }
    }

    private let inbox = Locked(Inbox())
    private let signal = WakeSignal()

    init() {
        // The task ends after `close`.
        Task { [inbox, signal] in await Worker().run(inbox, signal) }
    }

    func add(isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void) {
        inbox.withLock { if isUrgent { $0.urgent.append(work) } else { $0.others.append(work) } }
        signal.call()
    }

    func close() {
        inbox.withLock { $0.isClosed = true }
        signal.call()
    }
}
