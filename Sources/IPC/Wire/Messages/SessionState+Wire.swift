// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension SessionState {
    /// The state with only the named groups. Id and revision are always included.
    func wire(
        in arena: MessageArena,
        fields: StateFields = .all
    ) -> UnsafeMutablePointer<Engine__V1__SessionState> {
        let state = unsafe arena.message(Engine__V1__SessionState.self)
        unsafe state.pointee.session_id = arena.string(id.rawValue)
        unsafe state.pointee.revision = revision
        if fields.contains(.identity) {
            unsafe state.pointee.source = arena.string(source)
            unsafe state.pointee.url = arena.string(url)
            unsafe state.pointee.storyboard_url = arena.string(storyboardURL)
        }
        if fields.contains(.phase) {
            unsafe state.pointee.phase = phase.name.wire
            if case .error(let error) = phase { unsafe state.pointee.error = error.wire(in: arena) }
        }
        if fields.contains(.position) { unsafe state.pointee.position = position.wire(in: arena) }
        if fields.contains(.duration) {
            unsafe state.pointee.duration_us = duration?.microseconds ?? -1
            unsafe state.pointee.n_seekable = seekable.count
            unsafe state.pointee.seekable = arena.array(seekable) { unsafe .some($0.wire(in: arena)) }
        }
        if fields.contains(.buffered) {
            unsafe state.pointee.n_buffered = buffered.count
            unsafe state.pointee.buffered = arena.array(buffered) { unsafe .some($0.wire(in: arena)) }
        }
        if fields.contains(.production) { unsafe state.pointee.production = production.wire(in: arena) }
        if fields.contains(.media) { unsafe state.pointee.media = media?.wire(in: arena) }
        if fields.contains(.format) {
            unsafe state.pointee.video_format = arena.string(videoFormat?.name ?? "")
            unsafe state.pointee.source_video_format = arena.string(sourceVideoFormat?.name ?? "")
            unsafe state.pointee.route = arena.string(route?.word ?? "")
            unsafe state.pointee.route_reason = arena.string(route?.reason ?? "")
            unsafe state.pointee.profile = arena.string(profile)
            unsafe state.pointee.path = PlaybackPath.wire(path)
        }
        if fields.contains(.audio), let selectedAudio {
            let selected = unsafe arena.message(Engine__V1__SelectedAudio.self)
            unsafe selected.pointee.stream_index = UInt32(clamping: selectedAudio)
            unsafe state.pointee.selected_audio = selected
        }
        unsafe wirePlayer(state, in: arena, fields: fields)
        return unsafe state
    }

    /// Groups that are absent from the message get the values of a newly created session.
    init(wire state: Engine__V1__SessionState) throws(EngineError) {
        let anchor = unsafe state.position.map { unsafe PositionAnchor(wire: $0.pointee) }
        self.init(
            id: SessionID(rawValue: unsafe text(state.session_id)),
            source: unsafe text(state.source),
            url: unsafe text(state.url),
            position: anchor
                ?? PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        )
        revision = unsafe state.revision
        let error = unsafe state.error.map { unsafe EngineError(wire: $0.pointee) }
        phase = unsafe Phase(wire: state.phase, error: error)
        duration = unsafe state.duration_us < 0 ? nil : MediaTime(microseconds: state.duration_us)
        seekable = try unsafe values(state.seekable, state.n_seekable) { range throws(EngineError) in
            unsafe MediaTimeRange(wire: range)
        }
        buffered = try unsafe values(state.buffered, state.n_buffered) { range throws(EngineError) in
            unsafe MediaTimeRange(wire: range)
        }
        if let wire = unsafe state.production { production = unsafe Production(wire: wire.pointee) }
        if let wire = unsafe state.media { media = try unsafe MediaDescription(wire: wire.pointee) }
        videoFormat = VideoFormat(name: unsafe text(state.video_format))
        sourceVideoFormat = VideoFormat(name: unsafe text(state.source_video_format))
        let word = unsafe text(state.route)
        route = word.isEmpty ? nil : Route(word: word, reason: unsafe text(state.route_reason))
        profile = unsafe text(state.profile)
        path = unsafe PlaybackPath.known(state.path)
        selectedAudio = unsafe state.selected_audio.map { Int(unsafe $0.pointee.stream_index) }
        try unsafe takePlayer(state)
    }
}

extension PositionAnchor {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Position> {
        let wire = unsafe arena.message(Engine__V1__Position.self)
        unsafe wire.pointee.position_us = position.microseconds
        unsafe wire.pointee.rate = rate
        unsafe wire.pointee.monotonic_ns = monotonicNanoseconds
        unsafe wire.pointee.requested_rate = requestedRate
        return unsafe wire
    }

    init(wire: Engine__V1__Position) {
        unsafe self.init(
            position: MediaTime(microseconds: wire.position_us),
            rate: wire.rate,
            monotonicNanoseconds: wire.monotonic_ns,
            requestedRate: wire.requested_rate
        )
    }
}

extension MediaTimeRange {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__TimeRange> {
        let wire = unsafe arena.message(Engine__V1__TimeRange.self)
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.end_us = end.microseconds
        return unsafe wire
    }

    init(wire: Engine__V1__TimeRange) {
        unsafe self.init(start: MediaTime(microseconds: wire.start_us), end: MediaTime(microseconds: wire.end_us))
    }
}

extension Production {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Production> {
        let wire = unsafe arena.message(Engine__V1__Production.self)
        unsafe wire.pointee.planned_segments = UInt32(clamping: plannedSegments)
        unsafe wire.pointee.plan_complete = isPlanComplete ? 1 : 0
        unsafe wire.pointee.scan_progress = scanProgress
        unsafe wire.pointee.plan_origin = arena.string(planOrigin.rawValue)
        unsafe wire.pointee.segments_produced = segmentsProduced
        unsafe wire.pointee.segments_evicted = segmentsEvicted
        unsafe wire.pointee.cached_bytes = cachedBytes
        unsafe wire.pointee.bytes_produced = bytesProduced
        return unsafe wire
    }

    init(wire: Engine__V1__Production) {
        self.init()
        plannedSegments = Int(unsafe wire.planned_segments)
        isPlanComplete = unsafe wire.plan_complete != 0
        scanProgress = unsafe wire.scan_progress
        planOrigin = PlanOrigin(rawValue: unsafe text(wire.plan_origin)) ?? .index
        segmentsProduced = unsafe wire.segments_produced
        segmentsEvicted = unsafe wire.segments_evicted
        cachedBytes = unsafe wire.cached_bytes
        bytesProduced = unsafe wire.bytes_produced
    }
}
