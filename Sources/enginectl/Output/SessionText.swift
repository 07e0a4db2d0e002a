// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// The text output for the state of a session.
struct SessionText {
    let state: SessionState
    /// The current time of CLOCK_MONOTONIC in nanoseconds, to compute the playhead.
    let now: Int64

    var position: MediaTime {
        let position = max(.zero, state.position.position(at: now))
        return state.duration.map { min($0, position) } ?? position
    }

    /// For example `12:03 / 1:58:20`, or `12:03 / live, 6.4 s behind`.
    var clock: String {
        if let live = state.live {
            let latency = live.latency(of: position, at: now)
            let stalled = live.isStalled ? ", which has stalled" : ""
            return "\(Words.time(position)) / live, \(Words.number(latency.seconds, places: 1)) s behind\(stalled)"
        }
        let end = state.isGrowing ? state.seekable.last.map { "\(Words.time($0.end)) and growing" } : nil
        return "\(Words.time(position)) / \(state.duration.map { Words.time($0) } ?? end ?? "?")"
    }

    /// Instructions for playing a session without a URL; `nil` if it has one.
    var howToPlay: String? {
        guard case .software(let all)? = state.route else { return nil }
        let reason = obstacles.isEmpty ? all : obstacles
        let attaching = "attach a front-end to session \(state.id.rawValue)"
        return Words.plain(
            "no player takes this (\(reason)): enginectl play \(Words.quoted(state.source)), or \(attaching)"
        )
    }

    /// Why players cannot fetch the presentation; empty if they can. Only the video and the selected audio decide that.
    private var obstacles: String {
        let reasons = (state.media?.streams ?? []).compactMap { stream -> String? in
            guard stream.kind == .video || stream.index == state.selectedAudio,
                case .software(let reason) = stream.route
            else { return nil }
            return "\(stream.codec.rawValue) stream \(stream.index): \(reason)"
        }
        return reasons.joined(separator: "; ")
    }

    /// The path and the reason for it: the routes of the remux path, or why there is only the software path. Nothing is
    /// remuxed on the software path, even if it could be.
    var path: String {
        guard let path = state.path else { return "not known yet" }
        let reason = path == .remux ? state.route?.reason ?? "" : obstacles
        return path.rawValue + (reason.isEmpty ? "" : "  \(Words.plain(reason))")
    }

    var rate: String { "\(Words.number(state.position.requestedRate, places: 2))×" }

    var phase: String {
        guard let error = state.phase.error else { return briefPhase }
        return "error: \(Words.plain(error.description))"
    }

    /// The phase and why the source delivers nothing, without an error's message. For example
    /// `buffering, source retrying 503`.
    var briefPhase: String { state.phase.word + (state.sourceWait.map { ", source \($0.word)" } ?? "") }

    var name: String {
        let source = state.source.split(separator: "/").last.map(String.init) ?? state.source
        return Words.plain(source)
    }

    var plan: String {
        let production = state.production
        let segments = Words.count(production.plannedSegments, "segment")
        if production.isPlanComplete { return "\(segments) planned, complete (from \(production.planOrigin.rawValue))" }
        if state.isGrowing { return "\(segments) planned, growing" }
        return "\(segments) planned, scan \(Words.number(production.scanProgress * 100, places: 0)) %"
    }

    /// For example `1:00–2:10 can be played, recorded until 2026-11-23 13:20:05 UTC, begins 12 s behind`. `nil` unless the
    /// source is live.
    var live: String? {
        guard let live = state.live else { return nil }
        let window = state.seekable.map { "\(Words.time($0.start))–\(Words.time($0.end))" }.joined(separator: ", ")
        let date = live.wallClock.map { moment in
            ", recorded until \(Words.date(moment)) UTC\(live.isWallClockDoubtful ? " by a clock that differs" : "")"
        }
        let target = Words.number(live.targetLatency.seconds, places: 1)
        return "\(window.isEmpty ? "nothing" : window) can be played\(date ?? ""), begins \(target) s behind"
    }

    /// What is broadcast in the program that is played, now and next; empty if the source does not say.
    var guide: [String] { state.guide.first { $0.program == state.media?.program }?.lines ?? [] }

    /// For example `24.2 MB in 31 requests, 2 of them retries; round trip 15 ms; 2.10 MB/s, recently 1.80 MB/s`. `nil` for
    /// a source that is not on a server.
    var server: String? {
        let traffic = state.statistics.traffic
        guard traffic.requests > 0 else { return nil }
        let retries = traffic.retries > 0 ? ", \(traffic.retries) of them retries" : ""
        let (slow, fast) = (Words.bytes(traffic.slowBytesPerSecond), Words.bytes(traffic.fastBytesPerSecond))
        return
            "\(Words.bytes(traffic.byteCount)) in \(Words.count(Int(clamping: traffic.requests), "request"))\(retries); "
            + "round trip \(traffic.roundTripMicroseconds / 1000) ms; \(slow)/s, recently \(fast)/s"
    }

    var making: String {
        let production = state.production
        return "\(production.segmentsProduced) made, \(Words.bytes(production.cachedBytes)) cached, "
            + "\(production.segmentsEvicted) evicted"
    }

    var buffered: String {
        guard !state.buffered.isEmpty else { return "nothing" }
        return state.buffered.prefix(4).map { "\(Words.time($0.start))–\(Words.time($0.end))" }.joined(separator: ", ")
    }

    /// For example `Dolby Vision 8.1 (source: Dolby Vision 7)`.
    var format: String {
        guard let format = state.videoFormat else { return "no video" }
        guard let source = state.sourceVideoFormat, source != format else { return format.name }
        return "\(format.name) (source: \(source.name))"
    }

    /// For example `remux, for profile "chromium"`, then a line per track: `#1 audio: bridge (…)` with the reason.
    var routes: [String] {
        guard let route = state.route else { return ["not known yet"] }
        let tracks = (state.media?.streams ?? []).filter { $0.kind == .video || $0.kind == .audio }
        return ["\(route.word), for profile \"\(state.profile)\""]
            + tracks.map { "#\($0.index) \($0.kind.word): \($0.route.word) (\($0.route.reason))" }
    }

    /// The line of the selected audio track.
    var audio: String {
        guard let index = state.selectedAudio else { return "none" }
        guard let stream = state.media?.streams.first(where: { $0.index == index }) else { return "#\(index)" }
        return StreamText(stream: stream).line
    }

    /// For example `80 %, muted`.
    var volume: String { "\(Words.number(state.volume * 100, places: 1)) %\(state.isMuted ? ", muted" : "")" }

    /// For example `on, 1:00–1:30 repeated`.
    var loop: String {
        let loop = state.isLooping ? "on" : "off"
        guard let points = state.loopPoints else { return loop }
        guard let end = points.end else { return "\(loop), to be repeated from \(Words.time(points.start))" }
        return "\(loop), \(Words.time(points.start))–\(Words.time(end)) repeated"
    }

    /// For example `audio +250 ms, subtitles -1500 ms`. `nil` if there is none.
    var delays: String? {
        let delays = [("audio", state.delays.audio), ("subtitles", state.delays.subtitles)].compactMap { name, time in
            time == .zero ? nil : "\(name) \(time > .zero ? "+" : "")\(time.microseconds / 1000) ms"
        }
        return delays.isEmpty ? nil : delays.joined(separator: ", ")
    }

    /// For example `2 of 3, "Second"`.
    var chapter: String {
        let chapters = state.media?.chapters ?? []
        guard !chapters.isEmpty else { return "none" }
        guard let index = state.chapter, chapters.indices.contains(index) else { return "none of \(chapters.count)" }
        let title = chapters[index].title
        return "\(index + 1) of \(chapters.count)\(title.isEmpty ? "" : ", \"\(Words.plain(title))\"")"
    }

    /// For example `#3 [ger], #4`.
    var shortSubtitles: String {
        let shown = state.subtitleTracks.filter { state.selectedSubtitles.contains($0.id) }
        guard !shown.isEmpty else { return state.subtitleTracks.isEmpty ? "none" : "off" }
        return shown.map { $0.language.isEmpty ? "#\($0.id)" : "#\($0.id) [\($0.language)]" }.joined(separator: ", ")
    }

    /// One line per selected track.
    var subtitles: [String] {
        let shown = state.subtitleTracks.filter { state.selectedSubtitles.contains($0.id) }.map(SubtitlesText.describe)
        return shown.isEmpty ? [state.subtitleTracks.isEmpty ? "none" : "off"] : shown
    }

    /// A single line, for lists.
    var line: String { "\(state.id.rawValue)  \(briefPhase)  \(clock)  \(rate)  \(Words.plain(state.source))" }

    /// Prints `json` if there is one; otherwise the URL on stdout or, if there is no URL, instructions for playing the
    /// source on stderr.
    func writeURL(orJSON json: String?) throws(Failure) {
        if json == nil, let howToPlay { return Terminal.writeError("enginectl: \(howToPlay)") }
        try Terminal.write(json ?? state.url)
    }

    /// The output of `status`.
    var lines: [String] {
        [
            "session   \(state.id.rawValue)",
            "source    \(Words.plain(state.source))",
            "url       \(howToPlay ?? state.url)",
            "state     \(phase)",
            "position  \(clock), rate \(rate)",
        ] + (live.map { ["live      \($0)"] } ?? []) + guide + [
            "video     \(format)",
            "audio     \(audio)",
            "volume    \(volume)",
            "loop      \(loop)",
            "delay     \(delays ?? "none")",
            "chapter   \(chapter)",
        ] + (state.recording.map { ["recording \(RecordingText.line($0))"] } ?? [])
            + subtitles.map { "subtitles \($0)" } + routes.map { "route     \(Words.plain($0))" } + [
                "buffered  \(buffered)",
                "plan      \(plan)",
                "segments  \(making)",
            ] + (server.map { ["server    \($0)"] } ?? [])
    }
}
