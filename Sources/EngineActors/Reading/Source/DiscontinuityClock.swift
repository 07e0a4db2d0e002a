// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Times of transport streams are 33-bit counts of 90 kHz ticks, which wrap after 26.5 hours (ISO/IEC 13818-1
/// §2.4.2.1).
enum ClockWrap {
    /// The number of ticks after which times wrap.
    static func ticks(in base: TimeBase) -> Int64 { TimeBase.hertz(90_000).rescale(1 << 33, to: base) }

    /// The multiple of `wrap` to add to `time` so that the sum is as close as possible to `known`.
    static func shift(_ time: Int64, near known: Int64, _ wrap: Int64) -> Int64 {
        let distance = known &- time
        guard wrap > 0, distance.magnitude > wrap.magnitude / 2 else { return 0 }
        let turns = (distance &+ (distance > 0 ? wrap / 2 : -wrap / 2)) / wrap
        return turns &* wrap
    }
}

/// Puts the packets of a source whose clock restarts midway, or wraps, on the single clock of the plan.
///
/// A packet's position in the file decides to which side of a join it belongs. The new side starts at the time of its
/// first random access point: packets of the new side before that time are dropped, and so are packets of the old side
/// at or after it. Therefore no time occurs twice. Packets of other streams than the video are also dropped where some
/// still belong to the old side.
struct DiscontinuityClock {
    private let base: TimeBase
    /// The number of ticks after which times wrap; `nil` if they never do.
    private let wrap: Int64?
    private var jumps: [ClockJump]
    private var boundaries: [Keyframe]
    /// The decode time of the previous packet, on the plan's clock. `nil` after a jump of the read position.
    private var latest: Int64?
    /// The position of each stream's latest packet. It replaces the position of a packet that a parser has split from
    /// another: such a packet states none.
    private var places: [Int: Int64] = [:]
    private var entry: Int64 = 0

    /// - Parameter wraps: whether times are 33-bit counts of 90 kHz ticks.
    init(_ plan: SegmentPlan, wraps: Bool = false) {
        base = plan.timeBase
        wrap = wraps ? ClockWrap.ticks(in: plan.timeBase) : nil
        jumps = plan.jumps
        boundaries = plan.boundaries
    }

    /// Replaces the plan with a longer one, which has the same announced segments.
    mutating func follow(_ plan: SegmentPlan) {
        jumps = plan.jumps
        boundaries = plan.boundaries
    }

    /// Call this when reading continues at a byte of the file.
    mutating func enter(at position: Int64) {
        places = [:]
        entry = position
        latest = nil
    }

    /// The packet on the plan's clock; `nil` if it is dropped at a join.
    ///
    /// - Parameters:
    ///   - streamBase: time base of the packet's stream.
    ///   - isVideo: whether it is a packet of the video.
    mutating func placed(_ packet: Packet, streamBase: TimeBase, isVideo: Bool = true) -> Packet? {
        guard !jumps.isEmpty || wrap != nil else { return packet }
        let position = packet.position ?? places[packet.streamIndex] ?? entry
        places[packet.streamIndex] = position
        let side = jumps.countOfPrefix { $0.position <= position }
        if side > 0, !isVideo, position < jumps[side - 1].lastChange { return nil }
        var offset = side > 0 ? jumps[side - 1].offset : 0
        offset &+= lostBits(of: packet, at: position, offset, streamBase)
        var moved = offset == 0 ? packet : packet.moved(by: base.rescale(offset, to: streamBase))
        // A picture may be decoded before the wrap and presented after it.
        if wrap != nil, let decoded = moved.dts, let presented = moved.pts {
            let shift = ClockWrap.shift(presented, near: decoded, ClockWrap.ticks(in: streamBase))
            if shift != 0 { moved = moved.presented(at: presented &+ shift) }
        }
        guard let time = moved.pts ?? moved.dts else { return moved }
        if side > 0, time < base.rescale(jumps[side - 1].start, to: streamBase) { return nil }
        if side < jumps.count, time >= base.rescale(jumps[side].start, to: streamBase) { return nil }
        return moved
    }

    private func boundary(before position: Int64) -> Keyframe? {
        let before = boundaries.countOfPrefix { $0.position <= position }
        return boundaries.isEmpty ? nil : boundaries[Swift.max(0, before - 1)]
    }

    /// The multiple of the wrap to add to the times of a packet, so that it is close to the previous packet or, after a
    /// jump of the read position, to the boundary before it.
    private mutating func lostBits(
        of packet: Packet,
        at position: Int64,
        _ offset: Int64,
        _ streamBase: TimeBase
    ) -> Int64 {
        guard let wrap, let own = packet.dts ?? packet.pts else { return 0 }
        let time = streamBase.rescale(own, to: base) &+ offset
        let known = latest ?? boundary(before: position)?.time ?? time
        let shift = ClockWrap.shift(time, near: known, wrap)
        latest = time &+ shift
        return shift
    }
}

extension Array {
    /// The number of elements at the start for which a condition holds, if it holds for none after them.
    fileprivate func countOfPrefix(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
