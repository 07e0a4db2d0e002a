// SPDX-License-Identifier: Apache-2.0

/// Caches the most recently used segments of a list, for all its readers. Pure.
struct SegmentCache {
    /// The maximum length of a segment, in bytes.
    static let segmentLimit = 256 << 20
    /// The size of the cache for the variant that is played, in bytes. The latest segment is kept even if it is larger.
    static let defaultByteLimit = 64 << 20
    /// The size of the cache for each variant that players may switch to.
    static let siblingByteLimit = 16 << 20

    private let fullByteLimit: Int
    private var byteLimit: Int
    private var cached: [ListedResource: (bytes: [UInt8], use: UInt64)] = [:]
    private var uses: UInt64 = 0
    private(set) var byteCount = 0
    /// The resources that are never dropped.
    private var held: Set<ListedResource>

    /// - Parameter held: the resources that are never dropped after they have been fetched.
    init(byteLimit: Int = Self.defaultByteLimit, holding held: Set<ListedResource> = []) {
        fullByteLimit = byteLimit
        self.byteLimit = byteLimit
        self.held = held
    }

    /// Limits the cache to its full size halved `times` times.
    mutating func halve(_ times: Int) {
        byteLimit = fullByteLimit >> times
        trim()
    }

    /// Never drops these resources after they have been fetched.
    mutating func hold(_ resources: [ListedResource]) { held.formUnion(resources) }

    mutating func lookUp(_ resource: ListedResource) -> [UInt8]? {
        guard let found = cached[resource] else { return nil }
        uses += 1
        cached[resource]?.use = uses
        return found.bytes
    }

    mutating func add(_ bytes: [UInt8], of resource: ListedResource) {
        uses += 1
        byteCount += bytes.count - (cached[resource]?.bytes.count ?? 0)
        cached[resource] = (bytes, uses)
        trim()
    }

    mutating func remove(_ resource: ListedResource) {
        byteCount -= cached.removeValue(forKey: resource)?.bytes.count ?? 0
    }

    /// Drops the least recently used resources, but neither the latest one nor those that are held.
    private mutating func trim() {
        while byteCount > byteLimit,
            let oldest = cached.filter({ !held.contains($0.key) }).min(by: { $0.value.use < $1.value.use }),
            oldest.value.use != uses
        {
            byteCount -= oldest.value.bytes.count
            cached[oldest.key] = nil
        }
    }
}
