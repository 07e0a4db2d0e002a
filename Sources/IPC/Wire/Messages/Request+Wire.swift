// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of the requests of engine.v1.Engine. Decoding rejects invalid values with the field's name.

extension LoadRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.LoadRequest(bytes)
        var request = LoadRequest(source: wire.source)
        if request.source.isEmpty { throw .invalid("source", "is empty") }
        request.startPosition = .clamped(wire.startPositionMicroseconds)
        if request.startPosition < .zero { throw .invalid("start_position_us", "is below 0") }
        if let options = wire.options { request.options = try LoadOptions(wire: options) }
        request.session = .wire(wire.sessionID)
        request.http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        request.sidecars = try Sidecar.list(wire: wire.subtitleFiles)
        request.requestID = try idempotencyID(wire.requestID)
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.LoadRequest()
        wire.source = source
        wire.startPositionMicroseconds = startPosition.microseconds
        wire.options = options.wire
        wire.sessionID = session?.rawValue ?? ""
        wire.httpHeaders = http.headers.map(\.wire)
        wire.httpConnection = http.connection.wire
        wire.subtitleFiles = sidecars.map(\.wire)
        wire.requestID = requestID
        return wire.framed()
    }
}

/// A `ProbeRequest`: a source, and the load options for which its routes are computed.
package struct ProbeRequest: Hashable {
    package var source: String
    package var http = HTTPOptions()
    package var options = LoadOptions()

    package init(source: String, http: HTTPOptions, options: LoadOptions) {
        self.source = source
        self.http = http
        self.options = options
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.ProbeRequest(bytes)
        source = wire.source
        if source.isEmpty { throw .invalid("source", "is empty") }
        http = try HTTPOptions(wire: wire.httpHeaders, wire.httpConnection)
        if let options = wire.options { self.options = try LoadOptions(wire: options) }
    }

    package func framed() -> [UInt8] {
        var wire = Proto.ProbeRequest(source: source, options: options.wire)
        wire.httpHeaders = http.headers.map(\.wire)
        wire.httpConnection = http.connection.wire
        return wire.framed()
    }
}

/// The request of `GetState`: a `SessionRequest`, like those of commands without arguments.
package struct StateRequest: Hashable {
    /// `nil`: the default session.
    package var session: SessionID?
    /// If set, the call fails with `revisionConflict` unless the session is at this revision.
    package var ifRevision: UInt64?

    package init(session: SessionID?, ifRevision: UInt64? = nil) {
        self.session = session
        self.ifRevision = ifRevision
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SessionRequest(bytes)
        session = .wire(wire.sessionID)
        ifRevision = wire.ifRevision == 0 ? nil : wire.ifRevision
        // `GetState` does not use the idempotency id, but rejects an invalid one.
        _ = try idempotencyID(wire.requestID)
    }

    package func framed() -> [UInt8] {
        Proto.SessionRequest(sessionID: session?.rawValue ?? "", ifRevision: ifRevision ?? 0).framed()
    }
}

/// Validates and encodes `ListSessionsRequest`, which has no fields.
package enum ListSessionsRequest {
    package static func check(_ bytes: [UInt8]) throws(EngineError) {
        _ = try Proto.ListSessionsRequest(bytes)
    }

    package static func framed() -> [UInt8] {
        Proto.ListSessionsRequest().framed()
    }
}

/// One piece of the stream that `InspectSegment` receives.
package enum SegmentChunk {
    package static func append(wire bytes: [UInt8], to segment: inout [UInt8]) throws(EngineError) {
        segment += try Proto.SegmentChunk(bytes).data
    }

    package static func framed(_ bytes: [UInt8]) -> [UInt8] {
        Proto.SegmentChunk(data: bytes).framed()
    }
}
