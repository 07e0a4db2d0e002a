// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension Engine__V1__SubtitleFile: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__subtitle_file__init(pointer) }
}

extension Engine__V1__AddSubtitlesRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__add_subtitles_request__init(pointer)
    }
}

extension Engine__V1__RemoveSubtitlesRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__remove_subtitles_request__init(pointer)
    }
}

extension Sidecar {
    init(wire: Engine__V1__SubtitleFile) throws(EngineError) {
        var sidecar = unsafe Sidecar(path: text(wire.path))
        sidecar.charset = unsafe text(wire.charset)
        sidecar.language = unsafe text(wire.language)
        sidecar.title = unsafe text(wire.title)
        sidecar.httpHeaders = try unsafe Wire.httpHeaders(wire.http_headers, wire.n_http_headers)
        sidecar.isShown = unsafe wire.show != 0
        self = try sidecar.checked()
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__SubtitleFile> {
        let wire = unsafe arena.message(Engine__V1__SubtitleFile.self)
        unsafe wire.pointee.path = arena.string(path)
        unsafe wire.pointee.charset = arena.string(charset)
        unsafe wire.pointee.language = arena.string(language)
        unsafe wire.pointee.title = arena.string(title)
        unsafe wire.pointee.n_http_headers = httpHeaders.count
        unsafe wire.pointee.http_headers = httpHeaders.wire(in: arena)
        unsafe wire.pointee.show = isShown ? 1 : 0
        return unsafe wire
    }

    /// Decodes the subtitle files of a load.
    static func list(
        _ wire: UnsafeMutablePointer<UnsafeMutablePointer<Engine__V1__SubtitleFile>?>?,
        _ count: Int
    ) throws(EngineError) -> [Sidecar] {
        guard count <= countLimit else { throw .invalid("subtitle_files", "has more than \(countLimit) entries") }
        var place = 0
        return try unsafe values(wire, count) { file throws(EngineError) in
            do throws(EngineError) {
                defer { place += 1 }
                return try unsafe Sidecar(wire: file)
            } catch {
                throw error.below("subtitle_files[\(place - 1)]")
            }
        }
    }
}

/// Decodes the HTTP header fields of a request.
func httpHeaders(
    _ wire: UnsafeMutablePointer<UnsafeMutablePointer<Engine__V1__HttpHeader>?>?,
    _ count: Int
) throws(EngineError) -> [HTTPHeader] {
    guard count <= HTTPHeader.countLimit else {
        throw .invalid("http_headers", "has more than \(HTTPHeader.countLimit) entries")
    }
    return try unsafe values(wire, count) { header throws(EngineError) in
        try unsafe HTTPHeader(name: text(header.name), value: text(header.value))
    }
}

extension [HTTPHeader] {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<UnsafeMutablePointer<Engine__V1__HttpHeader>?>? {
        unsafe arena.array(self) { header in
            let field = unsafe arena.message(Engine__V1__HttpHeader.self)
            unsafe field.pointee.name = arena.string(header.name)
            unsafe field.pointee.value = arena.string(header.value)
            return unsafe .some(field)
        }
    }
}

extension CommandRequest {
    package init(addSubtitles bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__AddSubtitlesRequest.self) { wire throws(EngineError) in
            guard let file = unsafe wire.file?.pointee else { throw .invalid("file", "is missing") }
            let sidecar: Sidecar
            do throws(EngineError) { sidecar = try unsafe Sidecar(wire: file) } catch { throw error.below("file") }
            return try unsafe CommandRequest(
                wire.session_id,
                wire.if_revision,
                wire.request_id,
                .tracks(.addSubtitles(sidecar))
            )
        }
    }

    package init(removeSubtitles bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__RemoveSubtitlesRequest.self) { wire throws(EngineError) in
            let command = unsafe Command.tracks(.removeSubtitles(track: Int(wire.track)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    /// The framed request that adds a subtitle file.
    package func framed(adding sidecar: Sidecar) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__AddSubtitlesRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.file = sidecar.wire(in: arena)
            return unsafe wire
        }
    }

    package func framed(removing track: Int) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__RemoveSubtitlesRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.track = UInt32(clamping: track)
            return unsafe wire
        }
    }
}
