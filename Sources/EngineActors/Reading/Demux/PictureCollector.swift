// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the pictures of one segment of the leading video: from the keyframe at the cut's start, in decoding order,
/// up to the keyframe at its end.
struct PictureCollector {
    private let cut: SegmentCut
    private let track: PlayedTrack
    private let window: TrackWindow
    /// As in `SegmentCollector`.
    private let isContiguous: Bool
    /// Whether only the first picture is wanted.
    private let stopsAtPicture: Bool

    /// Whether the keyframe at the start has been read.
    private(set) var hasStarted = false
    private(set) var past = PicturesPastEnd()
    /// The pictures of this segment that the next segment needs, if the video is bridged.
    private(set) var nextLeadIn: [Packet] = []
    private var pictures: [Packet] = []
    private var leadIn = LeadIn()
    /// The pictures with their times, once all have been read.
    private var closed: SegmentMaterial.Part?

    /// - Parameter stopsAtPicture: whether only the first picture is wanted. Ignored if its presentation time depends
    ///   on other pictures, or if it has a companion.
    init(_ cut: SegmentCut, _ track: PlayedTrack, _ window: TrackWindow, isContiguous: Bool, stopsAtPicture: Bool) {
        self.cut = cut
        self.track = track
        self.window = window
        self.isContiguous = isContiguous
        self.stopsAtPicture = stopsAtPicture && track.timing == .presentation && track.companion == nil
    }

    var isComplete: Bool { closed != nil }

    var part: SegmentMaterial.Part {
        var part = closed ?? SegmentMaterial.Part(start: max(0, window.start))
        part.following = past.first
        return part
    }

    mutating func add(_ packet: Packet) -> SegmentCollector.Step {
        if !hasStarted {
            switch position(of: packet, relativeTo: cut.start) {
            case .before:
                // While the segment arrives, no later keyframe can show that the keyframe at the start was missed. It
                // is missed if the PES packet at which reading began contains the end of another picture before that
                // keyframe.
                if isAtEnd(packet) { return .tooLate }
                noteLeadIn(packet)
                return .nothing
            case .past: return .tooLate
            case .at:
                if track.videoBridge != nil, leadIn.packets.isEmpty, cut.index > 0, !isContiguous { return .tooLate }
                hasStarted = true
            }
        } else if let end = cut.end, !isComplete, past.isEmpty, position(of: packet, relativeTo: end) == .at {
            past.add(packet, of: track)
            return .forNext
        }
        if isComplete, cut.settled != nil { return .nothing }
        guard past.isEmpty else {
            past.add(packet, of: track)
            if !isComplete { closeWhenOrderIsKnown() }
            return SegmentCollector.Step(isForNext: true, isComplete: isComplete)
        }
        pictures.append(packet)
        if isAtEnd(packet) {
            close(next: nil)
            return SegmentCollector.Step(isComplete: true)
        }
        guard stopsAtPicture, hasWholePicture else { return .nothing }
        close(next: nil)
        return SegmentCollector.Step(isComplete: true)
    }

    /// Whether a packet lies at or after the time up to which an arriving segment is read.
    private func isAtEnd(_ packet: Packet) -> Bool {
        guard let settled = cut.settled else { return false }
        return (packet.dts ?? packet.pts ?? .min) >= settled
    }

    /// Ends the segment at the end of the source.
    mutating func finish() { close(next: nil) }

    /// Whether the first picture and the packet after it have been read, and all packets so far state a PTS.
    private var hasWholePicture: Bool {
        guard pictures.count > 1, let last = pictures.last, !track.transform.isRest(last) else { return false }
        return pictures.allSatisfy { $0.pts != nil }
    }

    private mutating func noteLeadIn(_ packet: Packet) {
        guard track.videoBridge != nil else { return }
        let isBoundary = cut.previous.map { position(of: packet, relativeTo: $0) == .at } ?? false
        leadIn.add(packet, isBoundary: isBoundary)
    }

    private enum Place { case before, at, past }

    private func position(of packet: Packet, relativeTo keyframe: Keyframe) -> Place {
        // A picture that an edit list hides can start the first segment only.
        if packet.isDiscarded, cut.previous != nil || keyframe != cut.start { return .before }
        switch track.timing {
        case .counted:
            guard let position = packet.position else { return .before }
            return position == keyframe.position ? .at : position < keyframe.position ? .before : .past
        case .decodeOrder, .presentation:
            guard let time = track.timing == .presentation ? packet.pts ?? packet.dts : packet.dts ?? packet.pts
            else { return .before }
            // The time decides: the plan has already determined which packets are keyframes, and both sides of a cut
            // must agree. In a plan that does not come from an index, the key flag counts too: a picture from before a
            // change of the configuration may have the same time.
            if time == keyframe.time, packet.isKey || !cut.trustsKeyFlags { return .at }
            return packet.isKey && time > keyframe.time ? .past : .before
        }
    }

    /// Pictures presented before the next keyframe may follow it in decoding order, and this segment ends at the
    /// earliest of them.
    private mutating func closeWhenOrderIsKnown() {
        guard track.timing == .presentation, let end = cut.end else { return close(next: window.end) }
        guard past.isOrderKnown(at: end) else { return }
        close(next: past.start(at: end).map { track.timelineTicks($0) })
    }

    /// - Parameter next: where the media after the segment starts; `nil` if the plan decides that.
    private mutating func close(next: Int64?) {
        guard !isComplete else { return }
        var part = SegmentMaterial.Part(start: max(0, window.start))
        part.next = next ?? window.end
        // Pictures that follow the next keyframe but are presented before it may depend on hidden pictures of this
        // segment.
        let isClosed = cut.end.map { end in past.start(at: end).map { $0 >= end.time } ?? true } ?? true
        let needed = HiddenPictures.needed(pictures, isClosed: isClosed)
        part.packets = HiddenPictures.placed(
            FrameTimes.whole(needed, of: track, startingAt: cut.start, endingAt: cut.end),
            isFirst: cut.previous == nil,
            end: part.next ?? window.trackEnd
        )
        if let bridge = track.videoBridge, bridge.spacesEvenly {
            part.next = cut.end.map { track.timelineTicks($0.time &+ bridge.presentationDelay) }
        }
        part.leadIn = leadIn.packets
        if track.videoBridge != nil, !pictures.isEmpty { nextLeadIn = LeadIn.after(pictures) }
        closed = part
        pictures = []
    }
}
