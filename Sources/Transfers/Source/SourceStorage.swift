// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The bytes of a source that are kept: in memory (the shared cache or a window of its own), and for a live stream also
/// on disk.
struct SourceStorage: Sendable {
    private static let headByteCount: Int64 = 64 << 10

    private let cache: RangeCache
    private let source: RangeCache.Source
    /// Whether the cache is the source's own window.
    let isWindow: Bool
    /// When the storage was made, before the first byte was received, in nanoseconds of CLOCK_MONOTONIC.
    private let beginning = monotonicNanoseconds()
    /// The part of a live stream on disk. `nil` if the source is only kept in memory.
    let spool: StreamSpool?

    init(in cache: RangeCache) {
        self.cache = cache
        source = cache.makeSource()
        isWindow = false
        spool = nil
    }

    /// - Parameter spoolSettings: where a live stream keeps the bytes that do not fit into memory; if `nil`, they are
    ///   dropped.
    init(_ limits: ForwardWindow.Limits, _ spoolSettings: SpoolSettings?) {
        cache = RangeCache(byteLimit: Int(limits.byteCount), eviction: .first(after: limits.head))
        source = cache.makeSource()
        isWindow = true
        spool = spoolSettings.map { [cache, source] in StreamSpool($0, of: source, in: cache, after: limits.head) }
    }

    var held: RangeSet64 {
        var held = cache.held(source)
        if let spool { held.insert(spool.held) }
        return held
    }

    var byteCount: Int64 { cache.byteCount(of: source) }

    func copy(to disk: DiskCache, url: ResourceURL) -> DiskCopy {
        DiskCopy(in: disk, of: source, in: cache, url: url)
    }

    func forget() { cache.forget(source) }

    func write(_ bytes: [UInt8], at offset: Int64) { bytes.lend { write($0, at: offset) } }

    func write(_ bytes: RawSpan, at offset: Int64) { cache.write(bytes, at: offset, of: source) }

    func read(at offset: Int64, into output: inout OutputRawSpan) -> Int {
        let count = cache.read(at: offset, of: source, into: &output)
        return count > 0 ? count : spool?.read(at: offset, into: &output) ?? 0
    }

    /// A digest of the first 64 KiB of a source with `byteCount` bytes. `nil` if not all of them are in memory.
    func headDigest(of byteCount: Int64) -> String? {
        let count = Int(min(Self.headByteCount, byteCount))
        let head = [UInt8](upTo: count) { output in
            while output.freeCapacity > 0, read(at: Int64(count - output.freeCapacity), into: &output) > 0 {}
        }
        return head.count == count ? StableHash(of: head).hexadecimal : nil
    }

    /// The first byte after the head that can still be read. If nothing has been dropped, the start of the window.
    func oldest(in window: ForwardWindow) -> Int64 {
        let held = held
        guard held.firstGap(in: 0..<window.newest) != nil else { return window.start }
        let head = window.limits.head
        return max(window.start, held.firstHeld(in: head..<max(head, window.newest))?.lowerBound ?? 0)
    }

    /// The part of a live stream that is kept.
    func streamWindow(_ window: ForwardWindow) -> StreamWindow {
        // Excludes the head, and a quarter of the memory as room for new bytes.
        let memory = window.limits.byteCount / 4 * 3 - window.limits.head
        let disk = spool.flatMap { $0.problem == nil ? $0.byteLimit : nil }
        return StreamWindow(beginning: beginning, byteLimit: max(memory, disk ?? 0), problem: spool?.problem)
    }

    /// Whether `bytes` begins with the bytes that are kept from `offset` on.
    func agrees(with bytes: RawSpan, at offset: Int64) -> Bool {
        let kept = [UInt8](upTo: bytes.byteCount) { output in _ = read(at: offset, into: &output) }
        return bytes.begins(with: kept)
    }
}
