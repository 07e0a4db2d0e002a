// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Which segments are in memory, by index and track.
///
/// Thread-safety: safe. One producer changes it. Any other component can read how far media reaches, without waiting
/// for the producer.
final class SegmentInventory: Sendable {
    private let tracks = Locked<[Int: Set<Int>]>([:])

    func add(_ index: Int, tracks made: some Sequence<Int> & Sendable) {
        tracks.withLock { $0[index, default: []].formUnion(made) }
    }

    func remove(_ index: Int, track: Int) {
        tracks.withLock { tracks in
            tracks[index]?.remove(track)
            if tracks[index]?.isEmpty == true { tracks[index] = nil }
        }
    }

    func has(_ index: Int, track: Int) -> Bool { tracks.withLock { $0[index]?.contains(track) == true } }

    /// Whether any track has the segment.
    func has(_ index: Int) -> Bool { tracks.withLock { $0[index] != nil } }

    /// The index after the last segment that the leading track has without a gap from `index` on.
    func contiguousEnd(from index: Int) -> Int {
        tracks.withLock { tracks in
            var end = index
            while tracks[end]?.contains(0) == true { end += 1 }
            return end
        }
    }

    /// The first segment that the leading track has without a gap up to `index`.
    func contiguousStart(upTo index: Int) -> Int {
        tracks.withLock { tracks in
            var start = index
            while start > 0, tracks[start - 1]?.contains(0) == true { start -= 1 }
            return start
        }
    }
}
