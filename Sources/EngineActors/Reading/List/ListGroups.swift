// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The clocks, configurations and videos of the leading list's groups of segments, read from one segment of each.
///
/// Thread-safety: safe.
final class ListGroups: Sendable {
    /// The properties of a group that one of its segments reveals.
    private struct Group {
        let clock: ListClock
        /// Codec private data of the video. Empty if there is none.
        let configuration: [UInt8]
        let video: ListedVideo?
    }

    /// The properties that were read from a segment of a group.
    struct Found {
        let segment: Int
        /// When it is presented, on its own clock.
        let anchor: MediaTime
        /// Codec private data of its video. Empty if there is none.
        let configuration: [UInt8]
        /// Its video, if the codec is not that of the source's video.
        var video: ListedVideo?
    }

    private struct State {
        /// The source's video.
        var lead: StreamInfo?
        var groups: [Int: Group] = [:]
        /// By `SegmentList.firstGroup(onClockOf:)`: the clock of the first group that was read among those on one
        /// clock.
        var clocks: [Int: ListClock] = [:]
        var isAligned: Bool?
    }

    private let state = Locked(State())

    /// Whether the segments begin with keyframes. `nil` until that is known.
    var isAligned: Bool? { state.withLock(\.isAligned) }

    func noteAlignment(_ isAligned: Bool) { state.withLock { $0.isAligned = isAligned } }

    /// The clock of the source. `nil` until the segment at which reading enters the list has been read.
    func reference(in lead: SegmentList) -> ListClock? { state.withLock { $0.groups[lead.reference]?.clock } }

    /// The source's video. `nil` if it has none, or until a reader has opened the lists.
    var lead: StreamInfo? { state.withLock(\.lead) }

    /// - Parameter lead: the video of the segment at which reading enters the leading list.
    func register(_ lead: StreamInfo?) { state.withLock { $0.lead = lead } }

    /// The video of a group, if its codec is not that of the source's video. `nil` until a segment of the group was read.
    func video(ofGroup group: Int) -> ListedVideo? { state.withLock { $0.groups[group]?.video } }

    /// The video whose packets have this `Packet.format`. `nil` for 0, the format of the source's video.
    func video(numbered number: Int) -> ListedVideo? { video(ofGroup: ListedVideo.group(ofNumber: number)) }

    /// As `SegmentListSource.configuration`.
    func configuration(ofGroup group: Int) -> [UInt8]? { state.withLock { $0.groups[group]?.configuration } }

    /// The clock of a group of `lead`.
    ///
    /// - Parameter find: as for `SegmentListSource.clock`.
    func clock(
        ofGroup group: Int,
        in lead: SegmentList,
        find: (_ group: Int) throws(EngineError) -> Found
    ) throws(EngineError) -> ListClock {
        if let known = state.withLock({ $0.groups[group] }) { return known.clock }
        let reference = group == lead.reference ? nil : try clock(ofGroup: lead.reference, in: lead, find: find)
        let found = try find(group)
        let planned = ListClock(anchor: found.anchor, after: reference, start: lead.segments[found.segment].start)
        let first = lead.firstGroup(onClockOf: group)
        return state.withLock { state in
            let shared = state.clocks[first]
            let clock = shared.flatMap { planned.continuing($0, number: found.segment - lead.groups[first]) } ?? planned
            state.clocks[first] = shared ?? clock
            state.groups[group] = Group(clock: clock, configuration: found.configuration, video: found.video)
            return clock
        }
    }
}
