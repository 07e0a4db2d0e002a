// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The methods of `engine.v1.Engine`.
enum EngineMethods {
    static var table: [String: MethodTable.Factory] {
        [
            path("Load"): unary(load),
            path("Play"): unary(command(.player(.play))),
            path("Pause"): unary(command(.player(.pause))),
            path("Stop"): unary(command(.stop)),
            path("Seek"): unary { bytes, core throws(EngineError) in perform(try CommandRequest(seek: bytes), core) },
            path("SetRate"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setRate: bytes), core)
            },
            path("SetVolume"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setVolume: bytes), core)
            },
            path("SetMuted"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setMuted: bytes), core)
            },
            path("SetLooping"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setLooping: bytes), core)
            },
            path("SetLoopPoints"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setLoopPoints: bytes), core)
            },
            path("StepFrame"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(stepFrame: bytes), core)
            },
            path("SetAudioDelay"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setAudioDelay: bytes), core)
            },
            path("SetSubtitleDelay"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setSubtitleDelay: bytes), core)
            },
            path("SkipChapter"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(skipChapter: bytes), core)
            },
            path("SelectAudio"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(selectAudio: bytes), core)
            },
            path("SelectSubtitles"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(selectSubtitles: bytes), core)
            },
            path("AddSubtitles"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(addSubtitles: bytes), core)
            },
            path("RemoveSubtitles"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(removeSubtitles: bytes), core)
            },
            path("SelectProgram"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(selectProgram: bytes), core)
            },
            path("RefreshSource"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(refreshSource: bytes), core)
            },
            path("StartRecording"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(startRecording: bytes), core)
            },
            path("StopRecording"): unary(command(.recording(.stop))),
            path("SelectPath"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(selectPath: bytes), core)
            },
            path("SetSoundOutput"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setSoundOutput: bytes), core)
            },
            path("SetAdjustments"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(setAdjustments: bytes), core)
            },
            path("AddFilter"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(addFilter: bytes), core)
            },
            path("RemoveFilter"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(removeFilter: bytes), core)
            },
            path("ClearFilters"): unary(command(.filters(.clear))),
            path("PutOverlay"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(putOverlay: bytes), core)
            },
            path("RemoveOverlay"): unary { bytes, core throws(EngineError) in
                perform(try CommandRequest(removeOverlay: bytes), core)
            },
            path("ClearOverlays"): unary(command(.filters(.clearOverlays))),
            path("GetState"): unary(getState),
            path("ListSessions"): unary(listSessions),
            path("Probe"): unary(probe),
            path("ListHistory"): unary { bytes, core throws(EngineError) in
                try HistoryList.check(bytes)
                let service = core.service
                return .run { () throws(EngineError) in .framed(HistoryList.framed(try await service.history())) }
            },
            path("ClearHistory"): unary { bytes, core throws(EngineError) in
                let source = try HistoryClearing.source(wire: bytes)
                let service = core.service
                return .run { () throws(EngineError) in
                    .framed(HistoryClearing.framed(removed: try await service.clearHistory(of: source)))
                }
            },
            path("GetSourceCache"): unary { bytes, core throws(EngineError) in
                try SourceCacheQuery.check(bytes)
                let service = core.service
                return .run { () throws(EngineError) in
                    .framed(SourceCacheQuery.framed(try await service.sourceCache()))
                }
            },
            path("ClearSourceCache"): unary { bytes, core throws(EngineError) in
                let source = try SourceCacheRemoval.source(wire: bytes)
                let service = core.service
                return .run { () throws(EngineError) in
                    .framed(SourceCacheRemoval.framed(try await service.clearSourceCache(of: source)))
                }
            },
            path("GetCues"): stream { bytes, service throws(EngineError) in
                let request = try CueRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.cues(request)) { $0.framed() } }
            },
            path("DrawSubtitles"): stream { bytes, service throws(EngineError) in
                let request = try DrawingRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.drawing(request)) { $0.framed() } }
            },
            path("RecognizeSubtitles"): stream { bytes, service throws(EngineError) in
                let request = try RecognitionRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.recognition(request)) { $0.framed() }
                }
            },
            path("GetScript"): stream { bytes, service throws(EngineError) in
                let request = try CueRequest(script: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.script(request)) { $0.framed() } }
            },
            path("GetAttachment"): stream { bytes, service throws(EngineError) in
                let request = try AttachmentRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.attachment(request)) { $0.framed() } }
            },
            path("TapAudio"): stream { bytes, service throws(EngineError) in
                let request = try AudioTapRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.tap(request)) { $0.framed() } }
            },
            path("MeasureLoudness"): stream { bytes, service throws(EngineError) in
                let request = try LoudnessRequest(wire: bytes)
                return { () throws(EngineError) in FramedPieces(try await service.loudness(request)) { $0.framed() } }
            },
            path("Watch"): { WatchHandler(core: $0) },
            path("Render"): { RenderHandler(core: $0) },
            path("InspectSegment"): { InspectHandler(core: $0) },
        ]
    }

    private static func path(_ method: String) -> String { "/engine.v1.Engine/\(method)" }

    private static func unary(_ operation: @escaping UnaryHandler.Operation) -> MethodTable.Factory {
        { UnaryHandler(core: $0, operation: operation) }
    }

    private static func stream(_ operation: @escaping StreamHandler.Operation) -> MethodTable.Factory {
        { StreamHandler(core: $0, operation: operation) }
    }

    private static func load(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        let request = try LoadRequest(wire: bytes)
        let service = core.service
        return .run { () throws(EngineError) in
            .loaded(try await service.load(request))
        }
    }

    private static func command(_ command: Command) -> UnaryHandler.Operation {
        { bytes, core throws(EngineError) in perform(try CommandRequest(wire: bytes, command: command), core) }
    }

    /// Most commands only change state, and run on the event loop. Those that release memory, start media production or
    /// draw an overlay run off it.
    private static func perform(_ request: CommandRequest, _ core: ServerCore) -> UnaryHandler.Work {
        let service = core.service
        let body: UnaryHandler.Body = { () throws(EngineError) in .performed(try await service.perform(request)) }
        return switch request.command {
        case .stop, .stepFrame, .recording, .tracks(.selectAudio), .filters(.put): .run(body)
        case .player, .tracks, .source, .output, .filters: .runShort(body)
        }
    }

    /// Answers from the hub, whose states are at least as new as those in any earlier answer, or from the engine if the
    /// hub does not know the session. `if_revision` is checked as for commands.
    private static func getState(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        let request = try StateRequest(wire: bytes)
        core.watches.drain()
        if let entry = core.watches.hub.entry(request.session) {
            try check(request.ifRevision, entry.state)
            return .answer(entry.stateResponse())
        }
        let service = core.service
        return .run { () throws(EngineError) in
            let state = try await service.state(of: request.session)
            try check(request.ifRevision, state)
            return .framed(state.framed())
        }
    }

    private static func check(_ revision: UInt64?, _ state: SessionState) throws(EngineError) {
        guard let revision, revision != state.revision else { return }
        throw EngineError(
            .revisionConflict,
            "session \(state.id.rawValue) is at revision \(state.revision), not \(revision)"
        )
    }

    private static func listSessions(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        try ListSessionsRequest.check(bytes)
        let service = core.service
        return .run { () throws(EngineError) in
            let list = await service.sessions()
            let response = SessionList(sessions: list.sessions, defaultSession: list.defaultSession)
            return .framed(response.framed())
        }
    }

    private static func probe(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        let request = try ProbeRequest(wire: bytes)
        let service = core.service
        return .run { () throws(EngineError) in
            .framed(try await service.probe(request.source, request.http, options: request.options).framed())
        }
    }
}
