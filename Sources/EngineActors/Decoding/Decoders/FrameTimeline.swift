// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Assigns timeline positions to the frames that a decoder outputs, starting where the source was entered.
struct FrameTimeline {
    private static let usual = MediaTime.seconds(0.04)

    let entry: FeedEntry
    private let facts: DecodingFacts
    private var clock: PresentationReorderer?
    private var isBegun = false
    private var spacing: FrameSpacing<VideoFrame>
    private var latest: (time: MediaTime, length: MediaTime)?

    init(_ entry: FeedEntry, _ facts: DecodingFacts) {
        self.entry = entry
        self.facts = facts
        let rate = facts.video.frameRate
        let frame = rate.map { MediaTime.seconds(Double(max(1, $0.denominator)) / Double(max(1, $0.numerator))) }
        spacing = FrameSpacing(target: entry.isStart ? nil : entry.time, usual: frame ?? Self.usual)
    }

    /// Notes a packet that is about to be sent to the decoder.
    mutating func send(_ packet: FeedPacket) {
        guard facts.timing != .shown else { return }
        if !isBegun {
            isBegun = true
            clock = PresentationReorderer(from: entry.isStart ? nil : packet.time)
        }
        clock?.send(packet.time, known: packet.shownTime)
    }

    /// The time at which a decoded frame is shown.
    struct Moment: Hashable {
        let time: MediaTime
        /// As given by the source; `nil` if it gives none.
        let length: MediaTime?
        /// The corrected time of the previous frame, if it has changed.
        let earlier: MediaTime?
    }

    /// - Parameter depth: by how many frames presentation order may differ from decoding order.
    /// - Returns: `nil` for a frame that must not be shown, because it refers to frames before the entry.
    mutating func moment(of frame: VideoFrame, depth: Int) -> Moment? {
        guard let (time, earlier) = time(of: frame, depth) else { return nil }
        let length = frame.duration > 0 ? MediaTime(frame.duration, in: facts.stream.timeBase) : nil
        latest = (time, length ?? Self.usual)
        return Moment(time: time, length: length, earlier: earlier)
    }

    /// Takes the next frame in presentation order, and returns the one before it.
    mutating func add(_ frame: VideoFrame, _ moment: Moment) -> TimedFrame? {
        spacing.add(frame, at: moment.time, lasting: moment.length, earlier: moment.earlier).map(TimedFrame.init)
    }

    /// The last frame. Call when no other frame follows.
    mutating func finish() -> TimedFrame? { spacing.finish().map(TimedFrame.init) }

    private mutating func time(of frame: VideoFrame, _ depth: Int) -> (MediaTime, earlier: MediaTime?)? {
        let following = latest.map { $0.time + $0.length }
        guard facts.timing != .shown else {
            let ticks = frame.estimatedTime
            return (ticks.map { facts.time($0) } ?? following ?? entry.time, nil)
        }
        guard let slot = frame.pts else { return (following ?? entry.time, nil) }
        // Frames decoded earlier may be shown later. Outside H.264 and HEVC, only B-frames are shown before
        // earlier-decoded frames.
        let reorders = facts.stream.codec == .h264 || facts.stream.codec == .hevc
        let pending = reorders ? depth : frame.isBidirectional ? max(1, depth) : 0
        guard let shown = clock?.show(slot, pending: pending) else { return nil }
        return (facts.time(shown.time), shown.earlier.map { facts.time($0) })
    }
}

extension TimedFrame {
    fileprivate init(_ spaced: FrameSpacing<VideoFrame>.Spaced) {
        self.init(frame: spaced.frame, time: spaced.time, duration: spaced.duration)
    }
}
