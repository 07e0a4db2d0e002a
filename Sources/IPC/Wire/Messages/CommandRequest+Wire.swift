// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of the commands of engine.v1.Engine. Decoding rejects invalid values and names the field.
// Positions, rates, volumes and delays that are out of range are accepted here; the engine clamps them.

extension CommandRequest {
    package func framed() -> [UInt8] {
        switch command {
        case .player(let command): framed(command)
        case .tracks(let command): framed(command)
        case .output(.selectPath(let path)): framed(Proto.SelectPathRequest.self) { $0.path = PlaybackPath.wire(path) }
        case .output(.setSoundOutput(let output)):
            framed(Proto.SetSoundOutputRequest.self) { ($0.kind, $0.name) = AudioOutput.wire(output) }
        case .source(.refresh(let refresh)):
            framed(Proto.RefreshSourceRequest.self) {
                $0.url = refresh.url ?? ""
                $0.httpHeaders = (refresh.headers ?? []).map(\.wire)
                // Empty options are sent too, because they also replace those of the load.
                $0.httpConnection = refresh.connection.map { $0.wire ?? Proto.HttpConnectionOptions() }
            }
        case .source(.selectProgram(let program)):
            framed(Proto.SelectProgramRequest.self) { $0.program = program.wire }
        case .filters(let command): framed(command)
        case .recording(.start(let request)):
            framed(Proto.StartRecordingRequest.self) {
                $0.path = request.path
                $0.start = request.start.map { Proto.RecordingStart(positionMicroseconds: $0.microseconds) }
            }
        case .recording(.stop): framed(Proto.SessionRequest.self) { _ in }
        case .stepFrame(let frames): framed(Proto.StepFrameRequest.self) { $0.frames = Int32(clamping: frames) }
        case .stop: framed(Proto.SessionRequest.self) { _ in }
        }
    }

    private func framed(_ command: PlayerCommand) -> [UInt8] {
        switch command {
        case .play, .pause: framed(Proto.SessionRequest.self) { _ in }
        case .seek(let seek): framed(Proto.SeekRequest.self) { seek.write(to: &$0) }
        case .setRate(let rate): framed(Proto.SetRateRequest.self) { $0.rate = rate }
        case .setVolume(let volume): framed(Proto.SetVolumeRequest.self) { $0.volume = volume }
        case .setMuted(let isMuted): framed(Proto.SetMutedRequest.self) { $0.muted = isMuted }
        case .setLooping(let isLooping): framed(Proto.SetLoopingRequest.self) { $0.looping = isLooping }
        case .setLoopPoints(let points): framed(Proto.SetLoopPointsRequest.self) { $0.loopPoints = points?.wire }
        case .setAudioDelay(let delay):
            framed(Proto.SetAudioDelayRequest.self) { $0.delayMicroseconds = delay.microseconds }
        case .setSubtitleDelay(let delay):
            framed(Proto.SetSubtitleDelayRequest.self) { $0.delayMicroseconds = delay.microseconds }
        case .skipChapter(let step): framed(Proto.SkipChapterRequest.self) { $0.step = step.wire }
        }
    }

    private func framed(_ command: TrackCommand) -> [UInt8] {
        switch command {
        case .selectAudio(let selection): framed(Proto.SelectAudioRequest.self) { $0.audio = selection.wire }
        case .selectSubtitles(let selection):
            framed(Proto.SelectSubtitlesRequest.self) { $0.subtitles = selection.wire }
        case .addSubtitles(let sidecar): framed(Proto.AddSubtitlesRequest.self) { $0.file = sidecar.wire }
        case .removeSubtitles(let track):
            framed(Proto.RemoveSubtitlesRequest.self) { $0.track = UInt32(clamping: track) }
        }
    }

    /// The framed request for a filter, adjustment or overlay command.
    private func framed(_ command: FilterCommand) -> [UInt8] {
        switch command {
        case .adjust(let change):
            framed(Proto.SetAdjustmentsRequest.self) { ($0.adjustments, $0.reset) = (change.wire, change.isReset) }
        case .add(let filter): framed(Proto.AddFilterRequest.self) { $0.filter = filter.wire }
        case .remove(let id): framed(Proto.RemoveFilterRequest.self) { $0.filterID = UInt32(clamping: id) }
        case .put(let overlay): framed(Proto.PutOverlayRequest.self) { $0.overlay = overlay.wire }
        case .removeOverlay(let name): framed(Proto.RemoveOverlayRequest.self) { $0.name = name }
        case .clear, .clearOverlays: framed(Proto.SessionRequest.self) { _ in }
        }
    }

    private func framed<Message: CommandMessage>(_: Message.Type, _ fill: (inout Message) -> Void) -> [UInt8] {
        var wire = Message()
        wire.sessionID = session?.rawValue ?? ""
        wire.ifRevision = ifRevision ?? 0
        wire.requestID = requestID
        fill(&wire)
        return wire.framed()
    }

    private init(_ wire: some CommandMessage, _ command: Command) throws(EngineError) {
        try self.init(
            session: .wire(wire.sessionID),
            ifRevision: wire.ifRevision == 0 ? nil : wire.ifRevision,
            requestID: idempotencyID(wire.requestID),
            command: command
        )
    }
}

extension CommandRequest {
    /// Decodes a `SessionRequest` whose method means `command`.
    package init(wire bytes: [UInt8], command: Command) throws(EngineError) {
        try self.init(Proto.SessionRequest(bytes), command)
    }

    package init(seek bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SeekRequest(bytes)
        try self.init(wire, .player(.seek(SeekCommand(wire: wire))))
    }

    package init(setRate bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetRateRequest(bytes)
        if wire.rate.isNaN { throw .invalid("rate", "is not a number") }
        try self.init(wire, .player(.setRate(wire.rate)))
    }

    package init(setVolume bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetVolumeRequest(bytes)
        if wire.volume.isNaN { throw .invalid("volume", "is not a number") }
        try self.init(wire, .player(.setVolume(wire.volume)))
    }

    package init(setMuted bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetMutedRequest(bytes)
        try self.init(wire, .player(.setMuted(wire.muted)))
    }

    package init(setLooping bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetLoopingRequest(bytes)
        try self.init(wire, .player(.setLooping(wire.looping)))
    }

    package init(setLoopPoints bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetLoopPointsRequest(bytes)
        do throws(EngineError) {
            let points = try wire.loopPoints.map { wire throws(EngineError) in try LoopPoints(wire: wire) }
            try self.init(wire, .player(.setLoopPoints(points)))
        } catch {
            throw error.below("loop_points")
        }
    }

    package init(setAudioDelay bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetAudioDelayRequest(bytes)
        try self.init(wire, .player(.setAudioDelay(MediaTime(microseconds: wire.delayMicroseconds))))
    }

    package init(setSubtitleDelay bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetSubtitleDelayRequest(bytes)
        try self.init(wire, .player(.setSubtitleDelay(MediaTime(microseconds: wire.delayMicroseconds))))
    }

    package init(stepFrame bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.StepFrameRequest(bytes)
        guard wire.frames != 0, (-100...100).contains(wire.frames) else {
            throw .invalid("frames", "must be -100 … -1 or 1 … 100, not \(wire.frames)")
        }
        try self.init(wire, .stepFrame(Int(wire.frames)))
    }

    package init(skipChapter bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SkipChapterRequest(bytes)
        switch wire.step {
        case .next: try self.init(wire, .player(.skipChapter(.next)))
        case .previous: try self.init(wire, .player(.skipChapter(.previous)))
        default: throw .invalid("step", "is neither next nor previous")
        }
    }

    package init(selectAudio bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SelectAudioRequest(bytes)
        try self.init(wire, .tracks(.selectAudio(AudioSelection(optional: wire.audio))))
    }

    package init(selectSubtitles bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SelectSubtitlesRequest(bytes)
        try self.init(wire, .tracks(.selectSubtitles(SubtitleSelection(optional: wire.subtitles))))
    }

    package init(addSubtitles bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.AddSubtitlesRequest(bytes)
        guard let file = wire.file else { throw .invalid("file", "is missing") }
        let sidecar: Sidecar
        do throws(EngineError) { sidecar = try Sidecar(wire: file) } catch { throw error.below("file") }
        try self.init(wire, .tracks(.addSubtitles(sidecar)))
    }

    package init(removeSubtitles bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RemoveSubtitlesRequest(bytes)
        try self.init(wire, .tracks(.removeSubtitles(track: Int(wire.track))))
    }

    package init(refreshSource bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RefreshSourceRequest(bytes)
        let headers = try [HTTPHeader](wire: wire.httpHeaders)
        var refresh = SourceRefresh()
        refresh.url = wire.url.isEmpty ? nil : wire.url
        refresh.headers = headers.isEmpty ? nil : headers
        refresh.connection = try wire.httpConnection.map(HTTPConnectionOptions.init(wire:))
        try self.init(wire, .source(.refresh(refresh)))
    }

    package init(selectProgram bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SelectProgramRequest(bytes)
        try self.init(wire, .source(.selectProgram(try ProgramSelection(wire: wire.program))))
    }

    package init(startRecording bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.StartRecordingRequest(bytes)
        try self.init(wire, .recording(.start(try RecordingRequest(wire: wire))))
    }

    package init(selectPath bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SelectPathRequest(bytes)
        let path = PlaybackPath.known(wire.path)
        if path == nil, wire.path != .unspecified {
            throw .invalid("path", "\(wire.path.rawValue) is not a PlaybackPath")
        }
        try self.init(wire, .output(.selectPath(path)))
    }

    package init(setSoundOutput bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetSoundOutputRequest(bytes)
        try self.init(wire, .output(.setSoundOutput(AudioOutput.decoded(wire.kind, name: wire.name))))
    }
}

// The engine checks the values of filters, adjustments and overlays, field by field.
extension CommandRequest {
    package init(setAdjustments bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SetAdjustmentsRequest(bytes)
        var change = wire.adjustments.map(AdjustmentChange.init(wire:)) ?? AdjustmentChange()
        change.isReset = wire.reset
        try self.init(wire, .filters(.adjust(change)))
    }

    package init(addFilter bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.AddFilterRequest(bytes)
        guard let filter = wire.filter else { throw .invalid("filter", "is missing") }
        try self.init(wire, .filters(.add(PictureFilter(wire: filter))))
    }

    package init(removeFilter bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RemoveFilterRequest(bytes)
        try self.init(wire, .filters(.remove(filter: Int(wire.filterID))))
    }

    package init(putOverlay bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.PutOverlayRequest(bytes)
        guard let overlay = wire.overlay else { throw .invalid("overlay", "is missing") }
        try self.init(wire, .filters(.put(Overlay(wire: overlay))))
    }

    package init(removeOverlay bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RemoveOverlayRequest(bytes)
        try self.init(wire, .filters(.removeOverlay(wire.name)))
    }
}

extension SeekCommand {
    init(wire: Proto.SeekRequest) throws(EngineError) {
        let position = MediaTime.clamped(wire.positionMicroseconds)
        switch wire.place {
        case .unspecified: self.init(wire.relative ? .relative(position) : .position(position))
        case .begin: self.init(.begin)
        case .end: self.init(.end)
        case .live: self.init(.live)
        default: throw .invalid("place", "\(wire.place.rawValue) is not a SeekPlace")
        }
        if wire.place != .unspecified, wire.relative || position != .zero {
            throw .invalid("place", "and a position cannot both be set")
        }
        switch wire.mode {
        case .unspecified, .exact: mode = .exact
        case .keyframe: mode = .keyframe
        default: throw .invalid("mode", "\(wire.mode.rawValue) is not a SeekMode")
        }
        switch wire.after {
        case .unspecified: thenPlay = nil
        case .play: thenPlay = true
        case .pause: thenPlay = false
        default: throw .invalid("after", "\(wire.after.rawValue) is not an AfterSeek")
        }
    }

    fileprivate func write(to wire: inout Proto.SeekRequest) {
        switch target {
        case .position(let position): wire.positionMicroseconds = position.microseconds
        case .relative(let distance):
            wire.positionMicroseconds = distance.microseconds
            wire.relative = true
        case .begin: wire.place = .begin
        case .end: wire.place = .end
        case .live: wire.place = .live
        }
        wire.mode =
            switch mode {
            case .exact: .exact
            case .keyframe: .keyframe
            }
        wire.after =
            switch thenPlay {
            case .none: .unspecified
            case .some(true): .play
            case .some(false): .pause
            }
    }
}

extension LoopPoints {
    /// The limit of both points, in microseconds: far beyond any timeline, and far from overflow.
    private static let latest: Int64 = 1 << 53

    var wire: Proto.LoopPoints {
        Proto.LoopPoints(startMicroseconds: start.microseconds, endMicroseconds: end?.microseconds ?? 0)
    }

    init(wire: Proto.LoopPoints) throws(EngineError) {
        guard (0...Self.latest).contains(wire.startMicroseconds) else {
            throw .invalid("start_us", "must be 0 … \(Self.latest), not \(wire.startMicroseconds)")
        }
        guard wire.endMicroseconds <= Self.latest,
            let points = LoopPoints(
                start: MediaTime(microseconds: wire.startMicroseconds),
                end: wire.endMicroseconds == 0 ? nil : MediaTime(microseconds: wire.endMicroseconds)
            )
        else {
            let least = Self.shortest.microseconds
            throw .invalid("end_us", "must be 0, or at least start_us + \(least), not \(wire.endMicroseconds)")
        }
        self = points
    }
}

extension ChapterStep {
    fileprivate var wire: Proto.ChapterStep {
        switch self {
        case .next: .next
        case .previous: .previous
        }
    }
}

extension PlaybackPath {
    static func wire(_ path: PlaybackPath?) -> Proto.PlaybackPath {
        switch path {
        case nil: .unspecified
        case .remux: .remux
        case .software: .software
        }
    }

    /// `nil` for the unspecified path and for a number that this build does not know.
    static func known(_ wire: Proto.PlaybackPath) -> PlaybackPath? { allCases.first { Self.wire($0) == wire } }
}

extension AudioOutput {
    fileprivate static func wire(_ output: AudioOutput?) -> (Proto.SoundOutputKind, String) {
        switch output {
        case nil: (.unspecified, "")
        case .device(let name): (.device, name)
        case .null: (.null, "")
        case .file(let path): (.file, path)
        }
    }

    fileprivate static func decoded(_ kind: Proto.SoundOutputKind, name: String) throws(EngineError) -> AudioOutput? {
        guard name.utf8.count <= nameLimit else { throw .invalid("name", "has more than \(nameLimit) bytes") }
        switch kind {
        case .device: return .device(name)
        case .file:
            guard name.hasPrefix("/") || FilePath(fileURL: name)?.bytes.contains(0) == false else {
                throw .invalid("name", "must be an absolute path or a file: URL, not \(ShownURL.text(of: name))")
            }
            return .file(name)
        case .unspecified, .null:
            guard name.isEmpty else { throw .invalid("name", "is only allowed for devices and files") }
            return kind == .null ? .null : nil
        default: throw .invalid("kind", "\(kind.rawValue) is not a SoundOutputKind")
        }
    }
}
