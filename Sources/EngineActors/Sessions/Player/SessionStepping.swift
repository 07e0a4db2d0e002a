// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments

/// Finds the target position when a session's playhead moves by frames.
///
/// If players can fetch the video, the frames in its segments are counted exactly. Otherwise the engine's own renderer
/// counts from the frame it shows; without a known frame, the nominal frame rate is used.
struct SessionStepping {
    private let media: SessionMedia
    private let software: SoftwarePath

    init(_ media: SessionMedia, _ software: SoftwarePath) {
        self.media = media
        self.software = software
    }

    /// - Returns: the target of a step by `frames` from `place`, and whether it was clamped to the first or the last
    ///   frame.
    /// - Throws: `unavailable` while the source is not open, `trackNotFound` without video, or the error of a segment
    ///   that cannot be made.
    func target(
        _ frames: Int,
        from place: MediaTime,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EngineError) -> (time: MediaTime, isClamped: Bool) {
        guard let opened = media.admitted else {
            throw EngineError(.unavailable, "the source is not open, so its frames are not known")
        }
        let lead = opened.source.lead
        guard lead.kind == .video else {
            throw EngineError(.trackNotFound, "\(opened.source.file.path) has no video to step through")
        }
        if lead.isServed { return try await target(frames, from: place, opened) }
        if let time = await software.target(of: frames, from: place) { return (max(.zero, time), time < .zero) }
        let rate = opened.source.media.streams[lead.stream.index].video?.frameRate ?? Ratio(25, 1)
        let length = Double(rate.denominator) / Double(max(1, rate.numerator))
        // The hundredth of a frame makes up for a start time that was rounded down.
        let number = (place.seconds / length + 0.01).rounded(.down) + Double(frames)
        let time = MediaTime.seconds(max(0, number * length))
        let last = opened.duration.map { max(.zero, $0 - .seconds(length)) }
        return (last.map { min($0, time) } ?? time, number < 0 || last.map { time > $0 } ?? false)
    }

    private func target(
        _ frames: Int,
        from place: MediaTime,
        _ opened: OpenedMedia,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EngineError) -> (time: MediaTime, isClamped: Bool) {
        let start = opened.segment(at: place)
        var known = start...start
        var walk = FrameWalk(try await times(of: start, opened), isStart: start == 0)
        while true {
            switch walk.target(of: frames, from: place) {
            case .found(let time): return (time, false)
            case .before where known.lowerBound > 0:
                known = known.lowerBound - 1...known.upperBound
                walk.prepend(try await times(of: known.lowerBound, opened), isStart: known.lowerBound == 0)
            case .after where known.upperBound + 1 < opened.plan.segmentCount:
                known = known.lowerBound...known.upperBound + 1
                walk.append(try await times(of: known.upperBound, opened))
            case .before: return (walk.first ?? place, true)
            case .after: return (walk.last ?? place, true)
            }
        }
    }

    /// When each frame of a segment is shown, in order.
    private func times(
        of segment: Int,
        _ opened: OpenedMedia,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EngineError) -> [MediaTime] {
        let body = try await opened.producer.segment(segment, track: 0)
        let version = opened.plan.version(of: segment)
        let track = opened.source.track(0, version: version, of: opened.plan).track
        do throws(PackagingError) {
            // Rounded up, so that the frame itself is shown at this time and not its predecessor.
            var times: [Int64] = []
            for chunk in try PackedSegment.chunks(of: body) { times += try PackedSegment(chunk).times }
            return times.sorted().map { time in
                MediaTime(
                    microseconds: track.timeBase.rescale(
                        time - track.mediaTimeOffset,
                        to: .microseconds,
                        rounding: .up
                    )
                )
            }
        } catch {
            throw EngineError(.segmentFailed, "the frames of segment \(segment) cannot be counted", cause: "\(error)")
        }
    }
}

/// The times of consecutive frames, and steps among them. Pure.
struct FrameWalk {
    enum Target: Hashable {
        case found(MediaTime)
        /// Before the first known frame, or after the last one.
        case before, after
    }

    /// A playhead that is no farther than this before a frame counts as being at it: renderers round.
    private static let tolerance = MediaTime(microseconds: 1000)

    private var times: [MediaTime]
    /// Whether the first known frame is the source's first, which is also shown before its time.
    private var isStart: Bool

    /// - Parameter times: ascending.
    init(_ times: [MediaTime], isStart: Bool) { (self.times, self.isStart) = (times, isStart) }

    var first: MediaTime? { times.first }
    var last: MediaTime? { times.last }

    mutating func prepend(_ earlier: [MediaTime], isStart: Bool) { (times, self.isStart) = (earlier + times, isStart) }
    mutating func append(_ later: [MediaTime]) { times += later }

    /// - Parameter frames: not 0.
    func target(of frames: Int, from place: MediaTime) -> Target {
        let current = (times.lastIndex { $0 <= place + Self.tolerance } ?? (isStart ? 0 : -1)) + frames
        guard current >= 0 else { return .before }
        return current < times.count ? .found(times[current]) : .after
    }
}
