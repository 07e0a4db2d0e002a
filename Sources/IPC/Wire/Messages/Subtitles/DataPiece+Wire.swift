// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension DataPiece {
    package func framed() -> [UInt8] {
        var wire = Proto.DataChunk()
        wire.data = bytes
        wire.totalBytes = totalByteCount
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.DataChunk(bytes, fieldLimit: .max)
        self = DataPiece(wire.data, totalByteCount: wire.totalBytes)
    }
}

extension AttachmentRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.GetAttachmentRequest(bytes)
        let place: SubtitlePlace =
            switch wire.place {
            case .source(let source): try .wire(source: source)
            case .sessionID(let id): .session(.wire(id))
            case nil: .session(nil)
            }
        var request = AttachmentRequest(place, stream: Int(wire.streamIndex))
        request.http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.GetAttachmentRequest()
        switch place {
        case .session(let id): wire.place = .sessionID(id?.rawValue ?? "")
        case .source(let source): wire.place = .source(source)
        }
        wire.streamIndex = UInt32(clamping: stream)
        wire.httpHeaders = http.headers.map(\.wire)
        wire.httpConnection = http.connection.wire
        return wire.framed()
    }
}

extension CueRequest {
    /// Decodes a `GetScriptRequest`: all cues, with their script lines.
    package init(script bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.GetScriptRequest(bytes)
        var request: CueRequest
        switch wire.place {
        case .source(let source): request = CueRequest(try .wire(source: source))
        case .sessionID(let id): request = CueRequest(.session(.wire(id)))
        case nil: request = CueRequest(.session(nil))
        }
        switch wire.choice {
        case .track(let id): request.choice = .id(Int(id))
        case .number(let number): request.choice = .number(Int(number))
        case .language(let language): request.choice = .language(language)
        case nil: break
        }
        request.isRaw = true
        request.http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        request.program = try ProgramSelection(wire: wire.program)
        self = request
    }
}
