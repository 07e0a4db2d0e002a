// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension CueRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) { self = try CueRequest(Proto.GetCuesRequest(bytes)) }

    init(_ wire: Proto.GetCuesRequest) throws(EngineError) {
        var request: CueRequest
        switch wire.place {
        case .source(let source): request = try CueRequest(.wire(source: source))
        case .sessionID(let id): request = CueRequest(.session(.wire(id)))
        case nil: request = CueRequest(.session(nil))
        }
        switch wire.choice {
        case .track(let id): request.choice = .id(Int(id))
        case .number(let number): request.choice = .number(Int(number))
        case .language(let language): request.choice = .language(language)
        case nil: break
        }
        if let range = wire.range {
            let (start, end) = (MediaTime.clamped(range.startMicroseconds), MediaTime.clamped(range.endMicroseconds))
            if end < start { throw .invalid("range.end_us", "is before range.start_us") }
            request.range = MediaTimeRange(start: start, end: end)
        }
        request.isRaw = wire.raw
        request.charset = wire.charset
        request.http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        request.findsSubtitles = !wire.withoutFiles
        request.program = try ProgramSelection(wire: wire.program)
        self = request
    }

    package func framed() -> [UInt8] { wire.framed() }

    var wire: Proto.GetCuesRequest {
        var wire = Proto.GetCuesRequest()
        switch place {
        case .session(let id): wire.place = .sessionID(id?.rawValue ?? "")
        case .source(let source): wire.place = .source(source)
        }
        switch choice {
        case .automatic: break
        case .id(let id): wire.choice = .track(UInt32(clamping: id))
        case .number(let number): wire.choice = .number(UInt32(clamping: number))
        case .language(let language): wire.choice = .language(language)
        }
        wire.range = range.map {
            Proto.CueRange(startMicroseconds: $0.start.microseconds, endMicroseconds: $0.end.microseconds)
        }
        wire.raw = isRaw
        wire.charset = charset
        wire.httpHeaders = http.headers.map(\.wire)
        wire.httpConnection = http.connection.wire
        wire.withoutFiles = !findsSubtitles
        wire.program = program.wire
        return wire
    }
}

extension SubtitlePlace {
    static func wire(source: String) throws(EngineError) -> SubtitlePlace {
        if source.isEmpty { throw .invalid("source", "is empty") }
        return .source(source)
    }
}

extension CueBatch {
    package func framed() -> [UInt8] {
        var wire = Proto.GetCuesResponse()
        wire.tracks = tracks.map(\.wire)
        wire.cues = cues.map(\.wire)
        wire.progress = progress
        wire.scriptHeader = scriptHeader
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.GetCuesResponse(bytes, fieldLimit: .max)
        var batch = CueBatch()
        batch.tracks = wire.tracks.map(SubtitleTrack.init(wire:))
        batch.cues = wire.cues.compactMap(Cue.init(wire:))
        batch.progress = wire.progress
        batch.scriptHeader = wire.scriptHeader
        self = batch
    }
}
