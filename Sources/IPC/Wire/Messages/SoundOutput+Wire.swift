// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension Engine__V1__SetSoundOutputRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__set_sound_output_request__init(pointer)
    }
}

extension CommandRequest {
    package init(setSoundOutput bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetSoundOutputRequest.self) { wire throws(EngineError) in
            let output = try unsafe SoundOutput.decoded(wire.kind, name: text(wire.name))
            let command = Command.output(.setSoundOutput(output))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package func framed(hearing output: SoundOutput?) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SetSoundOutputRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            let (kind, name) = SoundOutput.wire(output)
            unsafe wire.pointee.kind = kind
            unsafe wire.pointee.name = arena.string(name)
            return unsafe wire
        }
    }
}

extension SoundOutput {
    fileprivate static func wire(_ output: SoundOutput?) -> (Engine__V1__SoundOutputKind, String) {
        switch output {
        case nil: (ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_UNSPECIFIED, "")
        case .device(let name): (ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_DEVICE, name)
        case .null: (ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_NULL, "")
        case .file(let path): (ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_FILE, path)
        }
    }

    fileprivate static func decoded(
        _ kind: Engine__V1__SoundOutputKind,
        name: String
    ) throws(EngineError) -> SoundOutput? {
        guard name.utf8.count <= nameLimit else { throw .invalid("name", "has more than \(nameLimit) bytes") }
        switch kind {
        case ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_DEVICE: return .device(name)
        case ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_FILE:
            guard name.hasPrefix("/") else { throw .invalid("name", "must be an absolute path, not \(name)") }
            return .file(name)
        case ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_UNSPECIFIED,
            ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_NULL:
            guard name.isEmpty else { throw .invalid("name", "is only allowed for devices and files") }
            return kind == ENGINE__V1__SOUND_OUTPUT_KIND__SOUND_OUTPUT_KIND_NULL ? .null : nil
        default: throw .invalid("kind", "\(kind.rawValue) is not a SoundOutputKind")
        }
    }
}
