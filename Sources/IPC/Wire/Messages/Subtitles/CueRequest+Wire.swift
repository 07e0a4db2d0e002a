// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension CueRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__GetCuesRequest.self) { wire throws(EngineError) in
            let isSource = unsafe wire.place_case == ENGINE__V1__GET_CUES_REQUEST__PLACE_SOURCE
            var request = try CueRequest(
                isSource
                    ? .wire(source: unsafe text(wire.source))
                    : .session(
                        unsafe wire.place_case == ENGINE__V1__GET_CUES_REQUEST__PLACE_SESSION_ID
                            ? .wire(text(wire.session_id)) : nil
                    )
            )
            switch unsafe wire.choice_case {
            case ENGINE__V1__GET_CUES_REQUEST__CHOICE_TRACK: request.choice = .id(Int(unsafe wire.track))
            case ENGINE__V1__GET_CUES_REQUEST__CHOICE_NUMBER: request.choice = .number(Int(unsafe wire.number))
            case ENGINE__V1__GET_CUES_REQUEST__CHOICE_LANGUAGE:
                request.choice = .language(unsafe text(wire.language))
            default: break
            }
            if let range = unsafe wire.range?.pointee {
                let (start, end) = unsafe (MediaTime.clamped(range.start_us), MediaTime.clamped(range.end_us))
                if end < start { throw .invalid("range.end_us", "is before range.start_us") }
                request.range = MediaTimeRange(start: start, end: end)
            }
            request.isRaw = unsafe wire.raw != 0
            request.charset = unsafe text(wire.charset)
            request.httpHeaders = try unsafe Wire.httpHeaders(wire.http_headers, wire.n_http_headers)
            return request
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__GetCuesRequest.self)
            switch place {
            case .session(let id):
                unsafe wire.pointee.place_case = ENGINE__V1__GET_CUES_REQUEST__PLACE_SESSION_ID
                unsafe wire.pointee.session_id = arena.string(id?.rawValue ?? "")
            case .source(let source):
                unsafe wire.pointee.place_case = ENGINE__V1__GET_CUES_REQUEST__PLACE_SOURCE
                unsafe wire.pointee.source = arena.string(source)
            }
            switch choice {
            case .automatic: break
            case .id(let id):
                unsafe wire.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_TRACK
                unsafe wire.pointee.track = UInt32(clamping: id)
            case .number(let number):
                unsafe wire.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_NUMBER
                unsafe wire.pointee.number = UInt32(clamping: number)
            case .language(let language):
                unsafe wire.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_LANGUAGE
                unsafe wire.pointee.language = arena.string(language)
            }
            if let range {
                let wireRange = unsafe arena.message(Engine__V1__CueRange.self)
                unsafe wireRange.pointee.start_us = range.start.microseconds
                unsafe wireRange.pointee.end_us = range.end.microseconds
                unsafe wire.pointee.range = wireRange
            }
            unsafe wire.pointee.raw = isRaw ? 1 : 0
            unsafe wire.pointee.charset = arena.string(charset)
            unsafe wire.pointee.n_http_headers = httpHeaders.count
            unsafe wire.pointee.http_headers = httpHeaders.wire(in: arena)
            return unsafe wire
        }
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
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__GetCuesResponse.self)
            unsafe wire.pointee.n_tracks = tracks.count
            unsafe wire.pointee.tracks = arena.array(tracks) { unsafe .some($0.wire(in: arena)) }
            unsafe wire.pointee.n_cues = cues.count
            unsafe wire.pointee.cues = arena.array(cues) { unsafe .some($0.wire(in: arena)) }
            unsafe wire.pointee.progress = progress
            unsafe wire.pointee.script_header = arena.string(scriptHeader)
            return unsafe wire
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__GetCuesResponse.self, fieldLimit: .max) {
            wire throws(EngineError) in
            var batch = CueBatch()
            batch.tracks = try unsafe values(wire.tracks, wire.n_tracks) { track throws(EngineError) in
                unsafe SubtitleTrack(wire: track)
            }
            batch.cues = try unsafe values(wire.cues, wire.n_cues) { cue throws(EngineError) in
                try unsafe Cue(wire: cue)
            }.compactMap(\.self)
            batch.progress = unsafe wire.progress
            batch.scriptHeader = unsafe text(wire.script_header)
            return batch
        }
    }
}
