// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension DataPiece {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__DataChunk.self)
            unsafe wire.pointee.data.len = bytes.count
            unsafe wire.pointee.data.data = arena.array(bytes) { $0 }
            unsafe wire.pointee.total_bytes = totalByteCount
            return unsafe wire
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__DataChunk.self, fieldLimit: .max) { wire throws(EngineError) in
            unsafe DataPiece(
                Array(UnsafeBufferPointer(start: wire.data.data, count: wire.data.len)),
                totalByteCount: wire.total_bytes
            )
        }
    }
}

extension AttachmentRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__GetAttachmentRequest.self) { wire throws(EngineError) in
            let place: SubtitlePlace =
                switch unsafe wire.place_case {
                case ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SOURCE: try unsafe .wire(source: text(wire.source))
                case ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SESSION_ID: unsafe .session(.wire(text(wire.session_id)))
                default: .session(nil)
                }
            return AttachmentRequest(place, stream: Int(unsafe wire.stream_index))
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__GetAttachmentRequest.self)
            switch place {
            case .session(let id):
                unsafe wire.pointee.place_case = ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SESSION_ID
                unsafe wire.pointee.session_id = arena.string(id?.rawValue ?? "")
            case .source(let source):
                unsafe wire.pointee.place_case = ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SOURCE
                unsafe wire.pointee.source = arena.string(source)
            }
            unsafe wire.pointee.stream_index = UInt32(clamping: stream)
            return unsafe wire
        }
    }
}

extension CueRequest {
    /// Decodes a `GetScriptRequest`: all cues, with their script lines.
    package init(script bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__GetScriptRequest.self) { wire throws(EngineError) in
            var request: CueRequest
            switch unsafe wire.place_case {
            case ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SOURCE:
                request = CueRequest(try unsafe .wire(source: text(wire.source)))
            case ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SESSION_ID:
                request = CueRequest(unsafe .session(.wire(text(wire.session_id))))
            default: request = CueRequest(.session(nil))
            }
            switch unsafe wire.choice_case {
            case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_TRACK: request.choice = .id(Int(unsafe wire.track))
            case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_NUMBER: request.choice = .number(Int(unsafe wire.number))
            case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_LANGUAGE:
                request.choice = .language(unsafe text(wire.language))
            default: break
            }
            request.isRaw = true
            return request
        }
    }
}
