// SPDX-License-Identifier: Apache-2.0

/// The samples since the last flush that have not been heard, whether or not the device has them.
///
/// Samples can be taken back: a device that cannot pause drops them, and they are written to it again later.
struct AlsaQueue: Sendable {
    private struct Piece: Sendable {
        let block: SampleBlock
        let start: Int64

        var end: Int64 { start + Int64(block.count) }
    }

    private var pieces: [Piece] = []
    /// Samples appended since the last flush. All positions here count from that flush.
    private(set) var given: Int64 = 0
    /// The number of appended samples that were written to the device.
    private(set) var taken: Int64 = 0

    /// Whether there are samples that were not written to the device.
    var hasMore: Bool { taken < given }

    mutating func append(_ block: SampleBlock) {
        guard block.count > 0 else { return }
        pieces.append(Piece(block: block, start: given))
        given += Int64(block.count)
    }

    /// The next samples to write: a block, the index of its first unwritten sample, and the block's position.
    var next: (block: SampleBlock, first: Int, place: Int64)? {
        pieces.first { $0.end > taken }.map { ($0.block, Int(taken - $0.start), $0.start) }
    }

    /// Records that `count` more samples were written to the device.
    mutating func take(_ count: Int) { taken = min(given, taken + Int64(count)) }

    /// Records that the device has dropped its samples from `place` on.
    mutating func takeBack(from place: Int64) { taken = max(pieces.first?.start ?? taken, min(taken, place)) }

    /// Releases the blocks whose samples were all heard, i.e. lie before `place`.
    mutating func forget(before place: Int64) { pieces.removeAll { $0.end <= min(place, taken) } }
}
