// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Puts the packets of a source whose clock restarts midway on the single clock of the plan.
///
/// A packet's position in the file decides to which side of a join it belongs. Packets of the new side before its first
/// random access point are dropped, and so are packets of the old side beyond that point. Therefore no time occurs
/// twice.
struct DiscontinuityClock {
    private let base: TimeBase
    private var stretches: [ClockJump]
    /// Positions of each stream's latest packet. Packets that a parser splits from another have no position of their
    /// own.
    private var places: [Int: Int64] = [:]
    private var entry: Int64 = 0

    init(_ plan: SegmentPlan) {
        base = plan.timeBase
        stretches = plan.jumps
    }

    /// Takes a longer plan. What an earlier plan said about announced segments still holds.
    mutating func follow(_ plan: SegmentPlan) { stretches = plan.jumps }

    /// Call when reading continues at a byte of the file.
    mutating func enter(at position: Int64) {
        places = [:]
        entry = position
    }

    /// The packet on the plan's clock; `nil` when it belongs to neither side of a join.
    ///
    /// - Parameter streamBase: time base of the packet's stream.
    mutating func placed(_ packet: Packet, streamBase: TimeBase) -> Packet? {
        guard !stretches.isEmpty else { return packet }
        let position = packet.position ?? places[packet.streamIndex] ?? entry
        places[packet.streamIndex] = position
        let side = stretches.prefix { $0.position <= position }.count
        let offset = side > 0 ? stretches[side - 1].offset : 0
        let moved = offset == 0 ? packet : packet.moved(by: base.rescale(offset, to: streamBase))
        guard let time = moved.pts ?? moved.dts else { return moved }
        if side > 0, time < base.rescale(stretches[side - 1].start, to: streamBase) { return nil }
        if side < stretches.count, time >= base.rescale(stretches[side].start, to: streamBase) { return nil }
        return moved
    }
}
