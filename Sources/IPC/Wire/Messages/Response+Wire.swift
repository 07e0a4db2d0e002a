// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of the responses of engine.v1.Engine.

private let responseFieldLimit = Int.max

extension SessionState {
    package func framed() -> [UInt8] { wire.framed() }

    /// The named groups, with id and revision, as a message without gRPC framing.
    package func encoded(_ fields: StateFields) -> [UInt8] { wire(fields).packed() }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        try self.init(wire: Proto.SessionState(bytes, fieldLimit: responseFieldLimit))
    }

    /// The answer to `Load`.
    package func framedLoadResponse() -> [UInt8] {
        var response = Proto.LoadResponse()
        response.sessionID = id.rawValue
        response.url = url
        response.state = wire
        return response.framed()
    }

    package init(loadResponse bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.LoadResponse(bytes, fieldLimit: responseFieldLimit)
        self = try required(wire.state)
    }
}

extension CommandResult {
    package func framed() -> [UInt8] {
        var response = wire
        response.state = state.wire
        return response.framed()
    }

    /// The same response, with a state that was encoded before.
    package func framed(around state: ArraySlice<UInt8>) -> [UInt8] {
        let head = wire.packed()
        // `CommandResponse.state` is field 3, length-delimited (protobuf's wire type 2).
        return MessageFraming.framed([head[...], [3 << 3 | 2], varint(UInt64(state.count))[...], state])
    }

    /// The response without the state.
    private var wire: Proto.CommandResponse {
        var response = Proto.CommandResponse()
        response.sessionID = state.id.rawValue
        response.revision = state.revision
        response.clamped = isClamped
        response.seekID = seekID ?? 0
        response.addedSubtitles = addedSubtitles.map { UInt32(clamping: $0) }
        response.addedFilter = UInt32(clamping: addedFilter ?? 0)
        return response
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.CommandResponse(bytes, fieldLimit: responseFieldLimit)
        self = try CommandResult(
            state: required(wire.state),
            isClamped: wire.clamped,
            seekID: wire.seekID == 0 ? nil : wire.seekID,
            addedSubtitles: wire.addedSubtitles.map { Int($0) },
            addedFilter: wire.addedFilter == 0 ? nil : Int(wire.addedFilter)
        )
    }
}

extension SessionList {
    package func framed() -> [UInt8] {
        var response = Proto.ListSessionsResponse()
        response.sessions = sessions.map(\.wire)
        response.defaultSessionID = defaultSession?.rawValue ?? ""
        return response.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.ListSessionsResponse(bytes, fieldLimit: responseFieldLimit)
        self = SessionList(
            sessions: try wire.sessions.map(SessionState.init(wire:)),
            defaultSession: .wire(wire.defaultSessionID)
        )
    }
}

extension MediaDescription {
    package func framed() -> [UInt8] { wire.framed() }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        try self.init(wire: Proto.MediaDescription(bytes, fieldLimit: responseFieldLimit))
    }
}

private func required(_ state: Proto.SessionState?) throws(EngineError) -> SessionState {
    guard let state else { throw EngineError(.internal, "the response contains no state") }
    return try SessionState(wire: state)
}
