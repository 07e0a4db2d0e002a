// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SessionState {
    var wire: Proto.SessionState { wire(.all) }

    /// The state with only the named groups. Id and revision are always included.
    func wire(_ fields: StateFields) -> Proto.SessionState {
        var state = Proto.SessionState()
        state.sessionID = id.rawValue
        state.revision = revision
        if fields.contains(.identity) {
            state.source = source
            state.url = url
            state.storyboardURL = storyboardURL
        }
        if fields.contains(.phase) {
            state.phase = phase.name.wire
            state.sourceWait = sourceWait?.word ?? ""
            if case .error(let error) = phase { state.error = error.wire }
        }
        if fields.contains(.position) { state.position = position.wire }
        if fields.contains(.duration) {
            state.durationMicroseconds = duration?.microseconds ?? -1
            state.seekable = seekable.map(\.wire)
            state.growing = isGrowing
            state.live = live?.wire
        }
        if fields.contains(.buffered) { state.buffered = buffered.map(\.wire) }
        if fields.contains(.production) { state.production = production.wire }
        if fields.contains(.media) { state.media = media?.wire }
        if fields.contains(.format) {
            state.videoFormat = videoFormat?.name ?? ""
            state.sourceVideoFormat = sourceVideoFormat?.name ?? ""
            state.route = route?.word ?? ""
            state.routeReason = route?.reason ?? ""
            state.profile = profile
            state.path = PlaybackPath.wire(path)
        }
        if fields.contains(.audio) {
            state.selectedAudio = selectedAudio.map { Proto.SelectedAudio(streamIndex: UInt32(clamping: $0)) }
        }
        writePlayer(to: &state, fields)
        return state
    }

    /// Fields of groups that the message lacks decode as empty or 0, including the volume and the duration (0, not
    /// `nil`). A missing phase decodes as `opening`, and missing adjustments, a missing rate range and the requested
    /// rate of a missing position as their defaults.
    init(wire state: Proto.SessionState) throws(EngineError) {
        let anchor = state.position.map(PositionAnchor.init(wire:))
        self.init(
            id: SessionID(rawValue: state.sessionID),
            source: state.source,
            url: state.url,
            position: anchor
                ?? PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        )
        revision = state.revision
        let error = state.error.map(EngineError.init(wire:))
        phase = Phase(wire: state.phase, error: error)
        sourceWait = SourceWait(word: state.sourceWait)
        duration = state.durationMicroseconds < 0 ? nil : MediaTime(microseconds: state.durationMicroseconds)
        seekable = state.seekable.map(MediaTimeRange.init(wire:))
        isGrowing = state.growing
        live = state.live.map(LiveState.init(wire:))
        buffered = state.buffered.map(MediaTimeRange.init(wire:))
        if let wire = state.production { production = Production(wire: wire) }
        if let wire = state.media { media = MediaDescription(wire: wire) }
        videoFormat = VideoFormat(name: state.videoFormat)
        sourceVideoFormat = VideoFormat(name: state.sourceVideoFormat)
        let word = state.route
        route = word.isEmpty ? nil : Route(word: word, reason: state.routeReason)
        profile = state.profile
        path = PlaybackPath.known(state.path)
        selectedAudio = state.selectedAudio.map { Int($0.streamIndex) }
        try takePlayer(state)
    }
}

// The other groups of a session's state, from the settings to the renderer.
extension SessionState {
    private func writePlayer(to state: inout Proto.SessionState, _ fields: StateFields) {
        if fields.contains(.settings) {
            state.volume = volume
            state.muted = isMuted
            state.looping = isLooping
            state.loopPoints = loopPoints?.wire
            state.audioDelayMicroseconds = delays.audio.microseconds
            state.subtitleDelayMicroseconds = delays.subtitles.microseconds
            state.rateRange = Proto.RateRange(min: rateRange.lowerBound, max: rateRange.upperBound)
        }
        if fields.contains(.chapter) {
            state.currentChapter = chapter.map { Proto.CurrentChapter(index: UInt32(clamping: $0)) }
        }
        if fields.contains(.metadata) {
            state.metadata = metadata.map(\.wire)
            state.coverArtURL = coverArtURL
        }
        if fields.contains(.statistics) { state.statistics = statistics.wire }
        if fields.contains(.subtitles) {
            state.subtitleTracks = subtitleTracks.map(\.wire)
            state.selectedSubtitles = selectedSubtitles.map { UInt32(clamping: $0) }
        }
        if fields.contains(.filters) { writeFilters(to: &state) }
        if fields.contains(.recording) { state.recording = recording?.wire }
        if fields.contains(.guide) { state.guide = guide.map(\.wire) }
        if fields.contains(.renderer) { state.renderer = renderer.map(Proto.Renderer.init(name:)) }
    }

    private mutating func takePlayer(_ state: Proto.SessionState) throws(EngineError) {
        volume = state.volume
        isMuted = state.muted
        isLooping = state.looping
        loopPoints = try state.loopPoints.map { wire throws(EngineError) in try LoopPoints(wire: wire) }
        delays = Delays(
            audio: MediaTime(microseconds: state.audioDelayMicroseconds),
            subtitles: MediaTime(microseconds: state.subtitleDelayMicroseconds)
        )
        if let range = state.rateRange {
            let (lowest, highest) = (range.min, range.max)
            guard lowest <= highest else { throw .invalid("rate_range", "has a minimum above its maximum") }
            rateRange = lowest...highest
        }
        chapter = state.currentChapter.map { Int($0.index) }
        metadata = state.metadata.map(Tag.init(wire:))
        coverArtURL = state.coverArtURL
        storyboardURL = state.storyboardURL
        if let wire = state.statistics { statistics = Statistics(wire: wire) }
        subtitleTracks = state.subtitleTracks.map(SubtitleTrack.init(wire:))
        selectedSubtitles = state.selectedSubtitles.map { Int($0) }
        try takeFilters(state)
        recording = state.recording.map(RecordingState.init(wire:))
        guide = state.guide.map(ProgramGuide.init(wire:))
        renderer = state.renderer?.name
    }
}

extension Statistics {
    var wire: Proto.Statistics {
        var wire = Proto.Statistics()
        wire.bytesRead = bytesRead
        wire.segmentsMade = segmentsMade
        wire.segmentsServed = segmentsServed
        wire.segmentsEvicted = segmentsEvicted
        wire.cacheHits = cacheHits
        wire.productionSpeed = productionSpeed
        wire.stalls = stalls
        wire.stallMicroseconds = stallMicroseconds
        wire.droppedFrames = droppedFrames
        wire.decodeMicroseconds = decodeMicroseconds
        wire.residentBytes = residentBytes
        wire.decodedFrames = decodedFrames
        wire.decodeErrors = decodeErrors
        wire.picturesInPlace = picturesInPlace
        wire.picturesCopied = picturesCopied
        wire.httpRequests = traffic.requests
        wire.httpRetries = traffic.retries
        wire.httpBytes = traffic.byteCount
        wire.httpRoundTripMicroseconds = traffic.roundTripMicroseconds
        wire.httpBandwidth = traffic.bytesPerSecond
        wire.httpBandwidthFast = traffic.fastBytesPerSecond
        wire.httpBandwidthSlow = traffic.slowBytesPerSecond
        wire.httpCacheHits = traffic.cacheHits
        wire.httpDiskBytes = traffic.diskByteCount
        wire.streamRejoins = traffic.rejoins
        wire.streamGaps = traffic.gaps
        wire.streamRepeatedBytes = traffic.repeatedByteCount
        wire.streamContinuityErrors = traffic.continuityErrors
        wire.streamTransportErrors = traffic.transportErrors
        return wire
    }

    init(wire: Proto.Statistics) {
        self.init()
        bytesRead = wire.bytesRead
        segmentsMade = wire.segmentsMade
        segmentsServed = wire.segmentsServed
        segmentsEvicted = wire.segmentsEvicted
        cacheHits = wire.cacheHits
        productionSpeed = wire.productionSpeed
        stalls = wire.stalls
        stallMicroseconds = wire.stallMicroseconds
        droppedFrames = wire.droppedFrames
        decodeMicroseconds = wire.decodeMicroseconds
        residentBytes = wire.residentBytes
        decodedFrames = wire.decodedFrames
        decodeErrors = wire.decodeErrors
        picturesInPlace = wire.picturesInPlace
        picturesCopied = wire.picturesCopied
        traffic.requests = wire.httpRequests
        traffic.retries = wire.httpRetries
        traffic.byteCount = wire.httpBytes
        traffic.roundTripMicroseconds = wire.httpRoundTripMicroseconds
        traffic.bytesPerSecond = wire.httpBandwidth
        traffic.fastBytesPerSecond = wire.httpBandwidthFast
        traffic.slowBytesPerSecond = wire.httpBandwidthSlow
        traffic.cacheHits = wire.httpCacheHits
        traffic.diskByteCount = wire.httpDiskBytes
        traffic.rejoins = wire.streamRejoins
        traffic.gaps = wire.streamGaps
        traffic.repeatedByteCount = wire.streamRepeatedBytes
        traffic.continuityErrors = wire.streamContinuityErrors
        traffic.transportErrors = wire.streamTransportErrors
    }
}

extension PositionAnchor {
    var wire: Proto.Position {
        var wire = Proto.Position()
        wire.positionMicroseconds = position.microseconds
        wire.rate = rate
        wire.monotonicNanoseconds = monotonicNanoseconds
        wire.requestedRate = requestedRate
        return wire
    }

    init(wire: Proto.Position) {
        self.init(
            position: MediaTime(microseconds: wire.positionMicroseconds),
            rate: wire.rate,
            monotonicNanoseconds: wire.monotonicNanoseconds,
            requestedRate: wire.requestedRate
        )
    }
}

extension MediaTimeRange {
    var wire: Proto.TimeRange {
        Proto.TimeRange(startMicroseconds: start.microseconds, endMicroseconds: end.microseconds)
    }

    init(wire: Proto.TimeRange) {
        self.init(
            start: MediaTime(microseconds: wire.startMicroseconds),
            end: MediaTime(microseconds: wire.endMicroseconds)
        )
    }
}

extension LiveState {
    var wire: Proto.Live {
        var wire = Proto.Live()
        wire.edgeMicroseconds = edge.microseconds
        wire.monotonicNanoseconds = monotonicNanoseconds
        wire.latencyMicroseconds = latency.microseconds
        wire.targetLatencyMicroseconds = targetLatency.microseconds
        wire.wallClockUnixMicroseconds = wallClock ?? 0
        wire.wallClockDoubtful = isWallClockDoubtful
        wire.stalled = isStalled
        wire.utcOffsetS = Int32(clamping: utcOffset)
        return wire
    }

    init(wire: Proto.Live) {
        self.init(
            edge: MediaTime(microseconds: wire.edgeMicroseconds),
            monotonicNanoseconds: wire.monotonicNanoseconds,
            latency: MediaTime(microseconds: wire.latencyMicroseconds),
            targetLatency: MediaTime(microseconds: wire.targetLatencyMicroseconds)
        )
        wallClock = wire.wallClockUnixMicroseconds == 0 ? nil : wire.wallClockUnixMicroseconds
        isWallClockDoubtful = wire.wallClockDoubtful
        isStalled = wire.stalled
        utcOffset = Int(wire.utcOffsetS)
    }
}

extension Production {
    var wire: Proto.Production {
        var wire = Proto.Production()
        wire.plannedSegments = UInt32(clamping: plannedSegments)
        wire.planComplete = isPlanComplete
        wire.scanProgress = scanProgress
        wire.planOrigin = planOrigin.rawValue
        wire.segmentsProduced = segmentsProduced
        wire.segmentsEvicted = segmentsEvicted
        wire.cachedBytes = cachedBytes
        wire.bytesProduced = bytesProduced
        return wire
    }

    init(wire: Proto.Production) {
        self.init()
        plannedSegments = Int(wire.plannedSegments)
        isPlanComplete = wire.planComplete
        scanProgress = wire.scanProgress
        planOrigin = PlanOrigin(rawValue: wire.planOrigin) ?? .index
        segmentsProduced = wire.segmentsProduced
        segmentsEvicted = wire.segmentsEvicted
        cachedBytes = wire.cachedBytes
        bytesProduced = wire.bytesProduced
    }
}
