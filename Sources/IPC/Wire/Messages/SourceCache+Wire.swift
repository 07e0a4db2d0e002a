// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of `GetSourceCache` and `ClearSourceCache`.

/// The messages of `GetSourceCache`.
package enum SourceCacheQuery {
    package static func framedRequest() -> [UInt8] { Proto.GetSourceCacheRequest().framed() }

    package static func check(_ bytes: [UInt8]) throws(EngineError) { _ = try Proto.GetSourceCacheRequest(bytes) }

    package static func framed(_ report: SourceCacheReport) -> [UInt8] { report.wire.framed() }

    package static func report(wire bytes: [UInt8]) throws(EngineError) -> SourceCacheReport {
        SourceCacheReport(wire: try Proto.SourceCache(bytes, fieldLimit: .max))
    }
}

/// The messages of `ClearSourceCache`.
package enum SourceCacheRemoval {
    package static func framedRequest(_ source: String?) -> [UInt8] {
        Proto.ClearSourceCacheRequest(source: source ?? "").framed()
    }

    package static func source(wire bytes: [UInt8]) throws(EngineError) -> String? {
        let source = try Proto.ClearSourceCacheRequest(bytes).source
        return source.isEmpty ? nil : source
    }

    package static func framed(_ clearing: SourceCacheClearing) -> [UInt8] {
        Proto.ClearSourceCacheResponse(sources: UInt32(clamping: clearing.sources), bytes: clearing.byteCount).framed()
    }

    package static func clearing(wire bytes: [UInt8]) throws(EngineError) -> SourceCacheClearing {
        let wire = try Proto.ClearSourceCacheResponse(bytes)
        return SourceCacheClearing(sources: Int(wire.sources), byteCount: wire.bytes)
    }
}

extension SourceCacheReport {
    fileprivate var wire: Proto.SourceCache {
        var wire = Proto.SourceCache()
        wire.memoryBytes = memory.byteCount
        wire.memoryLimitBytes = memory.byteLimit
        wire.diskBytes = disk?.byteCount ?? 0
        wire.diskLimitBytes = disk?.byteLimit ?? 0
        wire.directory = directory
        wire.problem = problem
        wire.sources = sources.map(\.wire)
        return wire
    }

    fileprivate init(wire: Proto.SourceCache) {
        self.init(memory: Store(byteCount: wire.memoryBytes, byteLimit: wire.memoryLimitBytes))
        if wire.diskLimitBytes > 0 { disk = Store(byteCount: wire.diskBytes, byteLimit: wire.diskLimitBytes) }
        directory = wire.directory
        problem = wire.problem
        sources = wire.sources.map(Source.init(wire:))
    }
}

extension SourceCacheReport.Source {
    fileprivate var wire: Proto.CachedSource {
        Proto.CachedSource(
            url: url,
            byteCount: byteCount,
            memoryBytes: memoryByteCount,
            diskBytes: diskByteCount,
            lastUseUnixMicroseconds: lastUseUnixMicroseconds,
            inUse: isInUse
        )
    }

    fileprivate init(wire: Proto.CachedSource) {
        self.init(
            url: wire.url,
            byteCount: wire.byteCount,
            memoryByteCount: wire.memoryBytes,
            diskByteCount: wire.diskBytes,
            lastUseUnixMicroseconds: wire.lastUseUnixMicroseconds,
            isInUse: wire.inUse
        )
    }
}
