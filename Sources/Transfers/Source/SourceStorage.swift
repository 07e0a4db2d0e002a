// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The bytes of a source in memory, either in the shared cache or in the source's own window.
struct SourceStorage: Sendable {
    private let cache: RangeCache
    private let source: RangeCache.Source
    /// Whether the cache is the source's own window.
    let isWindow: Bool

    init(in cache: RangeCache) {
        self.cache = cache
        source = cache.makeSource()
        isWindow = false
    }

    init(_ limits: ForwardWindow.Limits) {
        cache = RangeCache(byteLimit: Int(limits.byteCount), eviction: .first(behind: limits.head))
        source = cache.makeSource()
        isWindow = true
    }

    var held: RangeSet64 { cache.held(source) }
    var byteCount: Int64 { cache.byteCount(of: source) }

    func copy(to disk: DiskCache, url: String, isSecure: Bool) -> DiskCopy {
        DiskCopy(in: disk, of: source, in: cache, url: url, isSecure: isSecure)
    }

    func forget() { cache.forget(source) }

    func write(_ bytes: [UInt8], at offset: Int64) { bytes.lend { write($0, at: offset) } }

    func write(_ bytes: RawSpan, at offset: Int64) { cache.write(bytes, at: offset, of: source) }

    func read(at offset: Int64, into output: inout OutputRawSpan) -> Int {
        cache.read(at: offset, of: source, into: &output)
    }

    /// Whether `bytes` begins with the bytes that are kept from `offset` on.
    func agrees(with bytes: RawSpan, at offset: Int64) -> Bool {
        let kept = [UInt8](upTo: bytes.byteCount) { output in _ = read(at: offset, into: &output) }
        return bytes.begins(with: kept)
    }
}
