// SPDX-License-Identifier: Apache-2.0

/// The samples since the last flush that have not been heard, whether the device has them or not.
///
/// What a device has can be taken back from it: one that cannot pause drops what it has, and is given it again.
struct AlsaQueue: Sendable {
    private struct Piece: Sendable {
        let block: SampleBlock
        let start: Int64

        var end: Int64 { start + Int64(block.count) }
    }

    private var pieces: [Piece] = []
    /// Counted since the last flush, as all places here.
    private(set) var given: Int64 = 0
    /// What the device was given of it.
    private(set) var taken: Int64 = 0

    /// Whether there is something that the device does not have.
    var hasMore: Bool { taken < given }

    mutating func append(_ block: SampleBlock) {
        guard block.count > 0 else { return }
        pieces.append(Piece(block: block, start: given))
        given += Int64(block.count)
    }

    /// What the device is to be given next: a block, its first sample that the device has not, and where the block begins.
    var next: (block: SampleBlock, first: Int, place: Int64)? {
        pieces.first { $0.end > taken }.map { ($0.block, Int(taken - $0.start), $0.start) }
    }

    /// The device has taken so many more.
    mutating func take(_ count: Int) { taken = min(given, taken + Int64(count)) }

    /// The device has dropped what it had from `place` on.
    mutating func takeBack(from place: Int64) { taken = max(pieces.first?.start ?? taken, min(taken, place)) }

    /// What lies before `place` was heard.
    mutating func forget(before place: Int64) { pieces.removeAll { $0.end <= min(place, taken) } }
}
