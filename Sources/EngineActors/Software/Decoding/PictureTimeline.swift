// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Puts the pictures that come out of a decoder, from where a film was entered on, on the timeline.
struct PictureTimeline {
    private static let usual = MediaTime.seconds(0.04)

    let entry: FeedEntry
    private let facts: FilmFacts
    private var clock: ShownClock?
    private var isBegun = false
    private var spacing: PictureSpacing<VideoFrame>
    private var latest: (time: MediaTime, length: MediaTime)?

    init(_ entry: FeedEntry, _ facts: FilmFacts) {
        self.entry = entry
        self.facts = facts
        let rate = facts.video.frameRate
        let frame = rate.map { MediaTime.seconds(Double(max(1, $0.denominator)) / Double(max(1, $0.numerator))) }
        spacing = PictureSpacing(target: entry.isStart ? nil : entry.time, usual: frame ?? Self.usual)
    }

    /// A packet goes to the decoder.
    mutating func send(_ packet: FeedPacket) {
        guard facts.timing != .shown else { return }
        if !isBegun {
            isBegun = true
            clock = ShownClock(from: entry.isStart ? nil : packet.time)
        }
        clock?.send(packet.time, known: packet.shownTime)
    }

    /// When a picture is shown that came out.
    struct Moment: Hashable {
        let time: MediaTime
        /// As the source says, if it does.
        let length: MediaTime?
        /// When the picture before is shown after all.
        let earlier: MediaTime?
    }

    /// - Parameter depth: by how many pictures their order may differ from that of decoding.
    /// - Returns: `nil` for one that is not to be shown: what it refers to lies before the entry.
    mutating func moment(of frame: VideoFrame, depth: Int) -> Moment? {
        guard let (time, earlier) = time(of: frame, depth) else { return nil }
        let length = frame.duration > 0 ? MediaTime(frame.duration, in: facts.stream.timeBase) : nil
        latest = (time, length ?? Self.usual)
        return Moment(time: time, length: length, earlier: earlier)
    }

    /// Takes the next picture that is shown, and gives the one before it.
    mutating func add(_ frame: VideoFrame, _ moment: Moment) -> TimedPicture? {
        spacing.add(frame, at: moment.time, lasting: moment.length, earlier: moment.earlier).map(TimedPicture.init)
    }

    /// Nothing follows.
    mutating func finish() -> TimedPicture? { spacing.finish().map(TimedPicture.init) }

    private mutating func time(of frame: VideoFrame, _ depth: Int) -> (MediaTime, earlier: MediaTime?)? {
        let following = latest.map { $0.time + $0.length }
        guard facts.timing != .shown else {
            let ticks = frame.estimatedTime
            return (ticks.map { facts.time($0) } ?? following ?? entry.time, nil)
        }
        guard let slot = frame.pts else { return (following ?? entry.time, nil) }
        // What is shown later was decoded earlier: with codecs of one level that is only what pictures between refer to.
        let reorders = facts.stream.codec == .h264 || facts.stream.codec == .hevc
        let pending = reorders ? depth : frame.isBidirectional ? max(1, depth) : 0
        guard let shown = clock?.show(slot, pending: pending) else { return nil }
        return (facts.time(shown.time), shown.earlier.map { facts.time($0) })
    }
}

extension TimedPicture {
    fileprivate init(_ spaced: PictureSpacing<VideoFrame>.Spaced) {
        self.init(frame: spaced.picture, time: spaced.time, duration: spaced.duration)
    }
}
