// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Caches finished stills and evicts the least recently used. Thumbnails and snapshots never evict each other. Pure.
struct StillCache {
    private struct Key: Hashable {
        let kind: StillRequest.Kind
        /// For thumbnails, the requested time in seconds. For snapshots, the frame's own time in microseconds.
        let place: Int64
        let style: StillStyle
    }

    private struct Value {
        let still: Still
        /// Requests for times from the still's time up to, but not including, `end` find this still.
        let end: MediaTime
        var use: UInt64
    }

    private static let thumbnailLimit = (count: 128, bytes: 4 << 20)
    private static let snapshotLimit = (count: 4, bytes: 12 << 20)

    private var values: [Key: Value] = [:]
    private var uses: UInt64 = 0

    /// The cached still for a request, if any.
    mutating func still(for request: StillRequest) -> Still? {
        uses += 1
        if request.kind == .thumbnail {
            let key = Key(kind: .thumbnail, place: Self.second(request.time), style: request.style)
            guard let value = values[key], value.still.time <= request.time, request.time < value.end else {
                return nil
            }
            values[key]?.use = uses
            return value.still
        }
        let found = values.first { key, value in
            key.kind == .snapshot && key.style == request.style && value.still.time <= request.time
                && request.time < value.end
        }
        guard let found else { return nil }
        values[found.key]?.use = uses
        return found.value.still
    }

    mutating func keep(_ still: Still, until end: MediaTime, for request: StillRequest) {
        let limit = request.kind == .thumbnail ? Self.thumbnailLimit : Self.snapshotLimit
        guard still.bytes.count <= limit.bytes else { return }
        uses += 1
        let place = request.kind == .thumbnail ? Self.second(request.time) : still.time.microseconds
        let key = Key(kind: request.kind, place: place, style: request.style)
        values[key] = Value(still: still, end: end, use: uses)
        var own = values.filter { $0.key.kind == request.kind }.sorted { $0.value.use < $1.value.use }
        var bytes = own.reduce(0) { $0 + $1.value.still.bytes.count }
        while own.count > limit.count || bytes > limit.bytes, let oldest = own.first {
            bytes -= oldest.value.still.bytes.count
            values[oldest.key] = nil
            own.removeFirst()
        }
    }

    private static func second(_ time: MediaTime) -> Int64 { time.microseconds / 1_000_000 }
}
