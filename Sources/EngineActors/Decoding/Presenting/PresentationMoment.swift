// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The state on which decisions about playback depend, at one moment, and those decisions.
struct PresentationMoment {
    /// An attached video sink.
    struct VideoSink: Hashable {
        var isRealTime = true
        /// The end of the last frame that this sink has taken.
        var taken: MediaTime?
        /// Whether a decoded frame of the current lap has not been given to this sink yet.
        var isFrameWaiting = false
    }

    /// Decoded frames, and the sinks that show them.
    struct Video: Hashable {
        var sinks: [VideoSink] = []
        /// Whether any frame of the current lap is decoded.
        var isCurrentLapReady = false
        var isNextLapReady = false
        /// Whether another frame may be decoded.
        var hasRoom = true
        var droppedFrames: UInt64 = 0
    }

    /// Decoded audio, and the sink that plays it.
    struct Audio: Hashable {
        var isRealTime = true
        /// Whether any audio has been decoded.
        var hasFormat = true
        /// How much audio after the playhead is decoded.
        var ahead = MediaTime.zero
        var end = MediaTime.zero
        /// Whether decoded audio has not been given to the sink yet.
        var isPortionWaiting = false
        /// The end of the audio that the sink has taken in this generation.
        var taken: MediaTime?
        /// Whether the sink was given all audio, except what the filters still hold.
        var isFinished = false
    }

    /// How the time of a decoded frame relates to the playhead.
    enum Timing: Hashable {
        /// No clock runs for the frame's lap.
        case unmeasured
        case inTime
        /// The frame's successor is already due. `isKept`: the frame is shown nevertheless, because the last frame
        /// shown is long past.
        case late(isKept: Bool, playhead: MediaTime)

        var isDropped: Bool {
            if case .late(isKept: false, _) = self { true } else { false }
        }
    }

    private static let second: Int64 = 1_000_000_000
    /// The time between two queries of what the sink has played, while the next step depends on it, in nanoseconds.
    private static let queryInterval: Int64 = 5_000_000
    /// How much audio is decoded ahead.
    private static let audioAhead = MediaTime(microseconds: 4_000_000)
    /// How far a sink that is not real-time may run ahead of the other medium.
    private static let lead = MediaTime(microseconds: 500_000)
    /// How much silence is added at a time after the end of the audio.
    private static let silence = MediaTime(microseconds: 50_000)
    /// Once the frame on screen is older than this, even a late frame is shown.
    private static let longestStill = MediaTime(microseconds: 200_000)

    let machine: PresentationStateMachine
    let passes: DecodingPasses
    let video: Video
    /// `nil`: no audio sink is attached.
    let audio: Audio?
    /// Nanoseconds of the monotonic clock.
    let now: Int64

    var playhead: MediaTime { machine.playhead(at: now) }

    /// The kinds of media that the attached sinks need.
    var required: RequiredMedia { RequiredMedia(video: !video.sinks.isEmpty, audio: audio != nil) }

    /// How far the current lap is decoded.
    private var lap: DecodingPasses.Lap? { passes.lap(machine.lap) }

    // MARK: Sinks at their own pace

    /// How far the sinks that are not real-time have come. `nil`: all sinks are real-time.
    var pace: MediaTime? {
        let paced = video.sinks.filter { !$0.isRealTime }
        // Audio beside a video sink that is not real-time follows that sink's pace.
        let pacedAudio = audio.flatMap { !$0.isRealTime || !paced.isEmpty ? $0 : nil }
        guard pacedAudio != nil || !paced.isEmpty else { return nil }
        let (position, lap) = (playhead, lap)
        // Sinks that have been given everything do not hold back the playhead.
        let waiting = paced.filter { !(lap?.areFramesComplete ?? false) || $0.isFrameWaiting }
        var times = waiting.map { max($0.taken ?? position, position) }
        if let pacedAudio, !(lap?.isAudioComplete ?? false) || pacedAudio.isPortionWaiting || isSilenceMissing {
            times.append(max(pacedAudio.taken ?? position, position))
        }
        return times.min() ?? max(position, lap?.framesEnd ?? .zero, lap?.audioEnd ?? .zero)
    }

    /// Whether frames continue past the end of the audio, which has not been padded with silence yet. `false` without
    /// any audio, because silence has its format.
    private var isSilenceMissing: Bool {
        guard required.video, passes.current?.lap == machine.lap, let lap, let audio, audio.hasFormat else {
            return false
        }
        return audio.end + PresentationStateMachine.slack < lap.framesEnd
    }

    /// Whether other sinks of the session wait for the video sinks.
    var areVideoSinksAwaited: Bool {
        machine.wantsToPlay && video.sinks.count + (audio == nil ? 0 : 1) > 1
    }

    // MARK: Stock

    /// The decoded media, as the state machine needs to know them.
    var stock: PresentationStateMachine.Stock {
        var stock = PresentationStateMachine.Stock()
        guard let lap else { return stock }
        // Video or audio that the source does not have must not stop the clock.
        if required.video, !lap.areFramesComplete || lap.hasFrames {
            stock.video = .init(
                isReady: video.isCurrentLapReady,
                end: lap.framesEnd,
                isComplete: lap.areFramesComplete,
                lastArrival: lap.lastFrameAt
            )
        }
        if let audio, !lap.isAudioComplete || audio.hasFormat {
            stock.audio = .init(ahead: audio.ahead, end: lap.audioEnd, isComplete: lap.isAudioComplete)
        }
        stock.isNextLapReady = isNextLapReady
        // If the source has nothing to decode, sinks that are not real-time have taken all of it.
        let isNothing = stock.video == nil && stock.audio == nil
        stock.taken = pace.map { isNothing ? machine.duration ?? $0 : $0 }
        return stock
    }

    private var isNextLapReady: Bool {
        let required = required
        guard !required.isEmpty else { return true }
        guard let next = passes.lap(machine.lap + 1) else { return false }
        let isVideoReady = !required.video || video.isNextLapReady || next.areFramesComplete
        let isAudioReady = !required.audio || next.audioEnd > .zero || next.isAudioComplete
        return isVideoReady && isAudioReady
    }

    /// The position at which playback ends, once that is certain.
    var end: MediaTime? { stock.end(machine.duration) }

    /// The current state, as an external renderer would report it.
    var report: RendererReport {
        let position = machine.position(at: now)
        var report = RendererReport(position: position, rate: 0)
        switch machine.state {
        case .empty, .standing: break
        case .moving:
            report.rate = pace == nil ? machine.movingRate : 1
            // The sink runs but no sample has been heard yet, or a loop waits for its next lap.
            report.isBuffering = report.rate == 0
        case .landing: report.isBuffering = machine.wantsToPlay && machine.rate > 0
        case .buffering: report.isBuffering = true
        case .ended: report.hasEnded = true
        }
        report.seekID = machine.landedSeek
        report.buffered = bufferedRanges(from: position)
        report.droppedFrames = video.droppedFrames
        return report
    }

    private func bufferedRanges(from position: MediaTime) -> [MediaTimeRange] {
        guard let lap, !required.isEmpty else { return [] }
        let ends = (required.video ? [lap.framesEnd] : []) + (required.audio ? [lap.audioEnd] : [])
        guard let end = ends.min(), end > position else { return [] }
        return [MediaTimeRange(start: position, end: end)]
    }

    // MARK: Decoding

    /// The pass whose next frame must be decoded, if any.
    var passToPullFrames: DecodingPasses.Pass? {
        guard let pass = passes.current, passes.isBegun, pass.required.video, required.video, video.hasRoom,
            let lap = passes.lap(pass.lap), !lap.areFramesComplete
        else { return nil }
        return pass
    }

    /// The pass whose next audio must be decoded, if any.
    var passToPullAudio: DecodingPasses.Pass? {
        guard let pass = passes.current, passes.isBegun, pass.required.audio, let audio, audio.ahead < Self.audioAhead,
            let lap = passes.lap(pass.lap), !lap.isAudioComplete
        else { return nil }
        return pass
    }

    /// The end of the current lap, if the start of the next one must be decoded now.
    var endBeforeNextLap: MediaTime? {
        guard machine.isLooping, !required.isEmpty, passes.pending == nil, passes.isBegun,
            passes.current?.lap == machine.lap, let lap,
            lap.areFramesComplete || !required.video, lap.isAudioComplete || !required.audio,
            let end, end > .zero
        else { return nil }
        return end
    }

    /// - Parameter shown: the presentation time of the frame on screen.
    func timing(of start: MediaTime, to end: MediaTime, lap: UInt64, shown: MediaTime?) -> Timing {
        guard machine.movingRate > 0, pace == nil, lap == machine.lap else { return .unmeasured }
        guard end <= playhead else { return .inTime }
        return .late(isKept: shown.map { start - $0 > Self.longestStill } ?? true, playhead: playhead)
    }

    // MARK: Giving

    /// Whether a sink may be given a frame. Unless the playhead moves, a sink that is not real-time gets only one
    /// frame.
    func mayGive(frameAt time: MediaTime, to sink: VideoSink) -> Bool {
        guard machine.state != .empty else { return false }
        guard !sink.isRealTime, sink.taken != nil else { return true }
        guard machine.state == .moving else { return false }
        guard let audio, !(lap?.isAudioComplete ?? false) else { return true }
        return time <= (audio.taken ?? .zero) + Self.lead
    }

    /// Whether all frames of playback without a loop are decoded.
    var isVideoComplete: Bool { !machine.isLooping && (lap?.areFramesComplete ?? false) }

    /// Whether the sink may be given audio. A sink that is not real-time does not run ahead of the video.
    var mayGiveAudio: Bool {
        guard machine.state != .empty, let audio else { return false }
        guard pace != nil, let taken = audio.taken else { return true }
        return machine.state == .moving && (taken <= playhead + Self.lead || video.sinks.isEmpty)
    }

    /// How many seconds of the timeline one second of given audio covers.
    var audioRate: Double { pace == nil && machine.rate > 0 ? machine.rate : 1 }

    /// The position at which silence after the end of the audio must end now: it covers the frames that outlast the
    /// audio. It is added in small steps, because a sink may take everything at once, and silence past the end would
    /// delay the next lap of a loop. For a sink that is not real-time, the audio ends with the last frame, however late
    /// that is decoded.
    var silenceEnd: MediaTime? {
        guard let audio, !audio.isPortionWaiting, passes.current?.lap == machine.lap, let lap, lap.isAudioComplete
        else { return nil }
        // A real-time clock continues while frames are late.
        let reached = pace == nil ? max(lap.framesEnd, playhead + Self.silence) : lap.framesEnd
        return min(end ?? reached, audio.end + Self.silence)
    }

    /// Whether all audio of playback without a loop is queued, and the sink was not given its end yet.
    var isAudioComplete: Bool {
        guard let audio, !audio.isFinished, !machine.isLooping, let lap, lap.isAudioComplete else { return false }
        return !required.video || lap.areFramesComplete
    }

    // MARK: Time

    /// When something changes next without an external event. `nil`: nothing does.
    ///
    /// - Parameters:
    ///   - report: when a report is due even if nothing changes.
    ///   - frame: the position of the next frame.
    ///   - secondsToAudioChange: seconds until audio of another rate or lap is heard.
    func nextChange(report: Int64?, frame: MediaTime?, secondsToAudioChange: Double?) -> Int64? {
        if machine.isPlayingOut { return now + Self.queryInterval }
        guard machine.state == .moving else { return nil }
        var moment = report ?? (now + Self.second)
        if audio != nil, pace == nil {
            moment = min(moment, now + (machine.movingRate == 0 ? Self.queryInterval : 40_000_000))
            moment = min(moment, now + Self.nanoseconds(secondsToAudioChange ?? 1) + 100_000)
        }
        guard machine.movingRate > 0 else { return moment }
        let position = playhead
        for change in [frame, end].compactMap(\.self) where change > position {
            moment = min(moment, now + Self.nanoseconds((change - position).seconds / machine.movingRate) + 1000)
        }
        return max(moment, now + 500_000)
    }

    /// `seconds` in nanoseconds, but at most one second.
    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(min(seconds, 1) * Double(second)) }
}
