// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// The schema of `status --json`, `list --json` and `watch --json`: docs/enginectl.md.

extension SessionState {
    /// - Parameter fields: the groups to include; ID and revision are always included.
    package func json(_ fields: StateFields = .all) -> JSON {
        func when(_ field: StateFields, _ value: JSON) -> JSON? { fields.contains(field) ? value : nil }
        return .object(
            ("session", .string(id.rawValue)),
            ("revision", .integer(revision)),
            ("source", when(.identity, .string(source))),
            ("url", when(.identity, .string(url))),
            ("storyboard_url", when(.identity, storyboardURL.isEmpty ? .null : .string(storyboardURL))),
            ("phase", when(.phase, .string(phase.word))),
            ("source_wait", when(.phase, sourceWait.map { .string($0.word) } ?? .null)),
            ("error", fields.contains(.phase) ? phase.error?.json : nil),
            ("position", when(.position, position.json)),
            ("duration_us", when(.duration, duration.map { .integer($0.microseconds) } ?? .null)),
            ("seekable", when(.duration, seekable.json)),
            ("growing", when(.duration, .bool(isGrowing))),
            ("live", when(.duration, live?.json ?? .null)),
            ("buffered", when(.buffered, buffered.json)),
            ("production", when(.production, production.json)),
            ("media", fields.contains(.media) ? media?.json : nil),
            ("video_format", when(.format, videoFormat.map { .string($0.name) } ?? .null)),
            ("source_video_format", when(.format, sourceVideoFormat.map { .string($0.name) } ?? .null)),
            ("route", when(.format, route.map { .string($0.word) } ?? .null)),
            ("route_reason", when(.format, route.map { .string($0.reason) } ?? .null)),
            ("profile", when(.format, .string(profile))),
            ("path", when(.format, path.map { .string($0.rawValue) } ?? .null)),
            ("selected_audio", when(.audio, selectedAudio.map { .integer($0) } ?? .null)),
            ("volume", when(.settings, .number(volume))),
            ("muted", when(.settings, .bool(isMuted))),
            ("looping", when(.settings, .bool(isLooping))),
            ("loop_points", when(.settings, loopPoints?.json ?? .null)),
            ("audio_delay_us", when(.settings, .integer(delays.audio.microseconds))),
            ("subtitle_delay_us", when(.settings, .integer(delays.subtitles.microseconds))),
            ("rate_range", when(.settings, .array([.number(rateRange.lowerBound), .number(rateRange.upperBound)]))),
            ("current_chapter", when(.chapter, chapter.map { .integer($0) } ?? .null)),
            ("metadata", when(.metadata, metadata.json)),
            ("cover_art_url", when(.metadata, coverArtURL.isEmpty ? .null : .string(coverArtURL))),
            ("statistics", when(.statistics, statistics.json)),
            ("renderer", when(.renderer, renderer.map { .string($0) } ?? .null)),
            ("subtitle_tracks", when(.subtitles, .array(subtitleTracks.map(\.json)))),
            ("selected_subtitles", when(.subtitles, .array(selectedSubtitles.map { .integer($0) }))),
            ("adjustments", when(.filters, adjustments.json)),
            ("filters", when(.filters, .array(filters.map(\.json)))),
            ("overlays", when(.filters, .array(overlays.map(\.json)))),
            ("recording", when(.recording, recording?.json ?? .null)),
            ("guide", when(.guide, .array(guide.map(\.json))))
        )
    }
}

extension Phase {
    /// The phase without its error.
    package var word: String { name.rawValue }

    package var error: EngineError? {
        if case .error(let error) = self { error } else { nil }
    }
}

extension LoopPoints {
    fileprivate var json: JSON {
        .object(
            ("start_us", .integer(start.microseconds)),
            ("end_us", end.map { .integer($0.microseconds) } ?? .null)
        )
    }
}

extension RecordingState {
    package var json: JSON {
        .object(
            ("phase", .string(phase.rawValue)),
            ("path", .string(path)),
            ("earlier_paths", .array(earlierPaths.map { .string($0) })),
            ("subtitle_paths", .array(subtitlePaths.map { .string($0) })),
            ("start_us", .integer(start.microseconds)),
            ("duration_us", .integer(duration.microseconds)),
            ("bytes", .integer(byteCount)),
            ("error", error?.json)
        )
    }
}

extension LiveState {
    fileprivate var json: JSON {
        .object(
            ("edge_us", .integer(edge.microseconds)),
            ("monotonic_ns", .integer(monotonicNanoseconds)),
            ("latency_us", .integer(latency.microseconds)),
            ("target_latency_us", .integer(targetLatency.microseconds)),
            ("wall_clock_unix_us", wallClock.map { .integer($0) } ?? .null),
            ("wall_clock_doubtful", .bool(isWallClockDoubtful)),
            ("stalled", .bool(isStalled)),
            ("utc_offset_s", .integer(utcOffset))
        )
    }
}

extension WatchEvent {
    package var json: JSON {
        switch self {
        case .snapshot(let state): .object(("event", .string("snapshot")), ("state", state.json()))
        case .delta(let delta): .object(("event", .string("delta")), ("state", delta.state.json(delta.fields)))
        case .time(let time):
            .object(
                ("event", .string("time")),
                ("session", .string(time.session.rawValue)),
                ("revision", .integer(time.revision)),
                ("position_us", .integer(time.position.microseconds)),
                ("rate", .number(time.rate)),
                ("monotonic_ns", .integer(time.monotonicNanoseconds))
            )
        case .notice(let session, let notice):
            .object(
                ("event", .string("notice")),
                ("session", .string(session.rawValue)),
                ("severity", .string(notice.severity == .warning ? "warning" : "info")),
                ("code", .string(notice.code)),
                ("message", .string(notice.message))
            )
        case .seek(let session, let seek):
            .object(
                ("event", .string("seek")),
                ("session", .string(session.rawValue)),
                ("id", .integer(seek.id)),
                ("stage", .string(seek.stage.rawValue)),
                ("target_us", .integer(seek.target.microseconds))
            )
        case .cue(let session, let cue):
            .object(
                ("event", .string("cue")),
                ("session", .string(session.rawValue)),
                ("stage", .string(cue.stage.word)),
                ("time_us", .integer(cue.time.microseconds)),
                ("cue", cue.cue.json)
            )
        case .batch(let events): .object(("event", .string("batch")), ("events", .array(events.map(\.json))))
        case .gap(let dropped): .object(("event", .string("gap")), ("dropped", .integer(dropped)))
        case .closed(let session, let error):
            .object(
                ("event", .string("closed")),
                ("session", .string(session.rawValue)),
                ("error", error?.json)
            )
        }
    }
}

extension EngineError {
    package var json: JSON {
        .object(
            ("code", .string(code.rawValue)),
            ("message", .string(message)),
            ("cause", .string(cause)),
            ("field", field.isEmpty ? nil : .string(field))
        )
    }
}

extension PositionAnchor {
    fileprivate var json: JSON {
        .object(
            ("position_us", .integer(position.microseconds)),
            ("rate", .number(rate)),
            ("monotonic_ns", .integer(monotonicNanoseconds)),
            ("requested_rate", .number(requestedRate))
        )
    }
}

extension [MediaTimeRange] {
    fileprivate var json: JSON {
        .array(
            map { .object(("start_us", .integer($0.start.microseconds)), ("end_us", .integer($0.end.microseconds))) }
        )
    }
}

extension Production {
    fileprivate var json: JSON {
        .object(
            ("planned_segments", .integer(plannedSegments)),
            ("plan_complete", .bool(isPlanComplete)),
            ("scan_progress", .number(scanProgress)),
            ("plan_origin", .string(planOrigin.rawValue)),
            ("segments_produced", .integer(segmentsProduced)),
            ("segments_evicted", .integer(segmentsEvicted)),
            ("cached_bytes", .integer(cachedBytes)),
            ("bytes_produced", .integer(bytesProduced))
        )
    }
}

extension Statistics {
    fileprivate var json: JSON {
        .object(
            ("bytes_read", .integer(bytesRead)),
            ("segments_made", .integer(segmentsMade)),
            ("segments_served", .integer(segmentsServed)),
            ("segments_evicted", .integer(segmentsEvicted)),
            ("cache_hits", .integer(cacheHits)),
            ("production_speed", .number(productionSpeed)),
            ("stalls", .integer(stalls)),
            ("stall_us", .integer(stallMicroseconds)),
            ("dropped_frames", .integer(droppedFrames)),
            ("decode_us", .integer(decodeMicroseconds)),
            ("resident_bytes", .integer(residentBytes)),
            ("decoded_frames", .integer(decodedFrames)),
            ("decode_errors", .integer(decodeErrors)),
            ("pictures_in_place", .integer(picturesInPlace)),
            ("pictures_copied", .integer(picturesCopied)),
            ("http_requests", .integer(traffic.requests)),
            ("http_retries", .integer(traffic.retries)),
            ("http_bytes", .integer(traffic.byteCount)),
            ("http_round_trip_us", .integer(traffic.roundTripMicroseconds)),
            ("http_bandwidth", .integer(traffic.bytesPerSecond)),
            ("http_bandwidth_fast", .integer(traffic.fastBytesPerSecond)),
            ("http_bandwidth_slow", .integer(traffic.slowBytesPerSecond)),
            ("http_cache_hits", .integer(traffic.cacheHits)),
            ("http_disk_bytes", .integer(traffic.diskByteCount)),
            ("stream_rejoins", .integer(traffic.rejoins)),
            ("stream_gaps", .integer(traffic.gaps)),
            ("stream_repeated_bytes", .integer(traffic.repeatedByteCount)),
            ("stream_continuity_errors", .integer(traffic.continuityErrors)),
            ("stream_transport_errors", .integer(traffic.transportErrors))
        )
    }
}
