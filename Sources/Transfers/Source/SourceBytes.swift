// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The bytes of a source on a server that need not be fetched: in the shared memory and in a copy on disk or, if the
/// server does not support ranges, in a window. Releases them with itself.
///
/// Thread-safety: safe.
final class SourceBytes: Sendable {
    private let storage: Locked<SourceStorage>
    private let spoolSettings: SpoolSettings?
    /// A digest of the first bytes, computed when it is first needed.
    private let headDigest = Locked<String?>(nil)
    /// `nil` if the bytes are only kept in memory. Unused once there is a window.
    let copy: DiskCopy?

    /// - Parameters:
    ///   - disk: keeps the bytes beyond the life of the source.
    ///   - url: the URL of the source.
    ///   - spoolSettings: see `HTTPSourceConfiguration.spool`.
    init(in cache: RangeCache, _ disk: DiskCache?, url: ResourceURL, _ spoolSettings: SpoolSettings?) {
        let storage = SourceStorage(in: cache)
        self.storage = Locked(storage)
        self.spoolSettings = spoolSettings
        copy = disk.map { storage.copy(to: $0, url: url) }
    }

    deinit {
        let kept = kept
        // `end` frees the memory after the pending blocks are on disk.
        if let copy, !kept.isWindow { copy.end() } else { kept.forget() }
    }

    /// The bytes in memory or in the window.
    var kept: SourceStorage { storage.withLock { $0 } }

    var held: RangeSet64 { copy.map { kept.held.union($0.held) } ?? kept.held }

    /// Drops the bytes in memory, unless they cannot be fetched again.
    func dropMemory() {
        let kept = kept
        if !kept.isWindow { kept.forget() }
    }

    /// Copies bytes from disk into memory.
    ///
    /// - Returns: their number; 0 if the byte at `offset` is not on disk.
    func load(at offset: Int64) -> Int {
        guard let copy, !kept.isWindow else { return 0 }
        return copy.load(at: offset)
    }

    /// Keeps the bytes in a window from now on, and drops those kept so far. Has no effect on a window.
    func becomeWindow(_ limits: ForwardWindow.Limits) {
        guard !kept.isWindow else { return }
        let old = storage.withLock { [spoolSettings] storage in
            defer { storage = SourceStorage(limits, spoolSettings) }
            return storage
        }
        copy?.abandon()
        old.forget()
    }

    /// Stores received bytes, and copies them to disk.
    ///
    /// - Parameter callbacks: called later, if the bytes on disk prove to be others.
    func write(_ bytes: RawSpan, at offset: Int64, _ callbacks: @autoclosure () -> DiskCopy.Callbacks) {
        kept.write(bytes, at: offset)
        if !kept.isWindow { copy?.received(offset..<offset + Int64(bytes.byteCount), callbacks()) }
    }

    /// A digest of the first bytes of a source with `byteCount` bytes. `nil` if it was never asked for while they were
    /// in memory.
    func headDigest(of byteCount: Int64?) -> String? {
        headDigest.withLock { [kept] digest in
            // Kept, because the bytes may be evicted.
            if digest == nil, let byteCount { digest = kept.headDigest(of: byteCount) }
            return digest
        }
    }
}
