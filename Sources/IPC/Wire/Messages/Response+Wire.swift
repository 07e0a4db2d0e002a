// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encoding and decoding of the responses of engine.v1.Engine.

private let responseFieldLimit = Int.max

extension SessionState {
    package func framed() -> [UInt8] { unsafe encodeFramed { unsafe wire(in: $0) } }

    /// The named groups, with id and revision, as a message without gRPC framing.
    package func encoded(_ fields: StateFields) -> [UInt8] { unsafe encode { unsafe wire(in: $0, fields: fields) } }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SessionState.self, fieldLimit: responseFieldLimit) {
            wire throws(EngineError) in try unsafe SessionState(wire: wire)
        }
    }

    /// The answer to `Load`.
    package func framedLoadResponse() -> [UInt8] {
        unsafe encodeFramed { arena in
            let response = unsafe arena.message(Engine__V1__LoadResponse.self)
            unsafe response.pointee.session_id = arena.string(id.rawValue)
            unsafe response.pointee.url = arena.string(url)
            unsafe response.pointee.state = wire(in: arena)
            return unsafe response
        }
    }

    package init(loadResponse bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__LoadResponse.self, fieldLimit: responseFieldLimit) {
            wire throws(EngineError) in try unsafe required(wire.state)
        }
    }
}

extension CommandResult {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let response = unsafe wire(in: arena)
            unsafe response.pointee.state = state.wire(in: arena)
            return unsafe response
        }
    }

    /// The same response, built around the already encoded state.
    package func framed(around state: ArraySlice<UInt8>) -> [UInt8] {
        let head = unsafe encode { unsafe wire(in: $0) }
        // `CommandResponse.state` is field 3, length-delimited (protobuf's wire type 2).
        return MessageFraming.framed([head[...], [3 << 3 | 2], varint(UInt64(state.count))[...], state])
    }

    /// The response without the state.
    private func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__CommandResponse> {
        let response = unsafe arena.message(Engine__V1__CommandResponse.self)
        unsafe response.pointee.session_id = arena.string(state.id.rawValue)
        unsafe response.pointee.revision = state.revision
        unsafe response.pointee.clamped = isClamped ? 1 : 0
        unsafe response.pointee.seek_id = seekID ?? 0
        unsafe response.pointee.n_added_subtitles = addedSubtitles.count
        unsafe response.pointee.added_subtitles = arena.array(addedSubtitles) { UInt32(clamping: $0) }
        unsafe response.pointee.added_filter = UInt32(clamping: addedFilter ?? 0)
        return unsafe response
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__CommandResponse.self, fieldLimit: responseFieldLimit) {
            wire throws(EngineError) in
            try unsafe CommandResult(
                state: required(wire.state),
                isClamped: wire.clamped != 0,
                seekID: wire.seek_id == 0 ? nil : wire.seek_id,
                addedSubtitles: numbers(wire.added_subtitles, wire.n_added_subtitles),
                addedFilter: wire.added_filter == 0 ? nil : Int(wire.added_filter)
            )
        }
    }
}

extension SessionList {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let response = unsafe arena.message(Engine__V1__ListSessionsResponse.self)
            unsafe response.pointee.n_sessions = sessions.count
            unsafe response.pointee.sessions = arena.array(sessions) { unsafe .some($0.wire(in: arena)) }
            unsafe response.pointee.default_session_id = arena.string(defaultSession?.rawValue ?? "")
            return unsafe response
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ListSessionsResponse.self, fieldLimit: responseFieldLimit) {
            wire throws(EngineError) in
            SessionList(
                sessions: try unsafe values(wire.sessions, wire.n_sessions) { state throws(EngineError) in
                    try unsafe SessionState(wire: state)
                },
                defaultSession: unsafe .wire(text(wire.default_session_id))
            )
        }
    }
}

extension MediaDescription {
    package func framed() -> [UInt8] { unsafe encodeFramed { unsafe wire(in: $0) } }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__MediaDescription.self, fieldLimit: responseFieldLimit) {
            wire throws(EngineError) in try unsafe MediaDescription(wire: wire)
        }
    }
}

private func required(_ state: UnsafeMutablePointer<Engine__V1__SessionState>?) throws(EngineError) -> SessionState {
    guard let state = unsafe state else { throw EngineError(.internal, "the response contains no state") }
    return try unsafe SessionState(wire: state.pointee)
}

private func numbers(_ pointer: UnsafeMutablePointer<UInt32>?, _ count: Int) -> [Int] {
    guard let pointer = unsafe pointer else { return [] }
    return unsafe UnsafeBufferPointer(start: pointer, count: count).map { Int($0) }
}
