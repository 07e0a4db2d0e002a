// SPDX-License-Identifier: Apache-2.0

/// The segments of a list that were fetched last, so that all its readers share them. Pure.
struct SegmentCache {
    /// A longer segment is refused.
    static let segmentLimit = 256 << 20
    /// What is kept beside the segment that was fetched last, of the variant that is played.
    static let defaultByteLimit = 64 << 20
    /// The same, of each variant that players may switch to.
    static let siblingByteLimit = 16 << 20

    let byteLimit: Int
    private var kept: [ListedResource: (bytes: [UInt8], use: UInt64)] = [:]
    private var uses: UInt64 = 0
    private(set) var byteCount = 0
    /// The resources that are never dropped.
    private let held: Set<ListedResource>

    /// - Parameter held: the resources that are kept once they were fetched, even if they are not used for long.
    init(byteLimit: Int = Self.defaultByteLimit, holding held: Set<ListedResource> = []) {
        self.byteLimit = byteLimit
        self.held = held
    }

    mutating func take(_ resource: ListedResource) -> [UInt8]? {
        guard let found = kept[resource] else { return nil }
        uses += 1
        kept[resource]?.use = uses
        return found.bytes
    }

    mutating func add(_ bytes: [UInt8], of resource: ListedResource) {
        uses += 1
        byteCount += bytes.count - (kept[resource]?.bytes.count ?? 0)
        kept[resource] = (bytes, uses)
        while byteCount > byteLimit,
            let oldest = kept.filter({ !held.contains($0.key) }).min(by: { $0.value.use < $1.value.use }),
            oldest.key != resource
        {
            byteCount -= oldest.value.bytes.count
            kept[oldest.key] = nil
        }
    }
}
