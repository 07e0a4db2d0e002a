// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encoding and decoding of the requests of engine.v1.Engine. Decoding rejects invalid values with the field's name.

extension SessionID {
    /// An empty id means the default session.
    static func wire(_ text: String) -> SessionID? { text.isEmpty ? nil : SessionID(rawValue: text) }
}

extension LoadRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__LoadRequest.self) { wire throws(EngineError) in
            var request = LoadRequest(source: unsafe text(wire.source))
            if request.source.isEmpty { throw .invalid("source", "is empty") }
            request.startPosition = .clamped(unsafe wire.start_position_us)
            if request.startPosition < .zero { throw .invalid("start_position_us", "is below 0") }
            if let options = unsafe wire.options?.pointee { request.options = try unsafe LoadOptions(wire: options) }
            request.session = unsafe .wire(text(wire.session_id))
            request.httpHeaders = try unsafe Wire.httpHeaders(wire.http_headers, wire.n_http_headers)
            request.sidecars = try unsafe Sidecar.list(wire.subtitle_files, wire.n_subtitle_files)
            request.requestID = try unsafe idempotencyID(wire.request_id)
            return request
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__LoadRequest.self)
            unsafe wire.pointee.source = arena.string(source)
            unsafe wire.pointee.start_position_us = startPosition.microseconds
            unsafe wire.pointee.options = options.wire(in: arena)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.n_http_headers = httpHeaders.count
            unsafe wire.pointee.http_headers = httpHeaders.wire(in: arena)
            unsafe wire.pointee.n_subtitle_files = sidecars.count
            unsafe wire.pointee.subtitle_files = arena.array(sidecars) { unsafe .some($0.wire(in: arena)) }
            unsafe wire.pointee.request_id = arena.string(requestID)
            return unsafe wire
        }
    }
}

/// The idempotency id of a request.
func idempotencyID(_ wire: UnsafePointer<CChar>?) throws(EngineError) -> String {
    let id = unsafe text(wire)
    guard id.utf8.count <= 128 else { throw .invalid("request_id", "is longer than 128 bytes") }
    return id
}

extension MediaTime {
    /// Clamps to a value far beyond any timeline and far from overflow. The engine then clamps to the timeline and
    /// reports it.
    static func clamped(_ microseconds: Int64) -> MediaTime {
        MediaTime(microseconds: min(max(microseconds, -(1 << 53)), 1 << 53))
    }
}

/// A `ProbeRequest`: a source, and the load options for which its routes are computed.
package struct ProbeRequest: Hashable {
    package var source: String
    package var options = LoadOptions()

    package init(source: String, options: LoadOptions) {
        self.source = source
        self.options = options
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ProbeRequest.self) { wire throws(EngineError) in
            let source = unsafe text(wire.source)
            if source.isEmpty { throw .invalid("source", "is empty") }
            let options = try unsafe wire.options.map { options throws(EngineError) in
                try unsafe LoadOptions(wire: options.pointee)
            }
            return ProbeRequest(source: source, options: options ?? LoadOptions())
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__ProbeRequest.self)
            unsafe wire.pointee.source = arena.string(source)
            unsafe wire.pointee.options = options.wire(in: arena)
            return unsafe wire
        }
    }
}

/// `ListSessionsRequest` has no fields, but its bytes are still validated and encoded.
package enum ListSessionsRequest {
    package static func check(_ bytes: [UInt8]) throws(EngineError) {
        try unsafe decode(bytes, as: Engine__V1__ListSessionsRequest.self) { _ throws(EngineError) in }
    }

    package static func framed() -> [UInt8] {
        unsafe encodeFramed { arena in unsafe arena.message(Engine__V1__ListSessionsRequest.self) }
    }
}

/// One piece of the stream that `InspectSegment` receives.
package enum SegmentChunk {
    package static func append(wire bytes: [UInt8], to segment: inout [UInt8]) throws(EngineError) {
        segment += try unsafe decode(bytes, as: Engine__V1__SegmentChunk.self) { wire throws(EngineError) in
            unsafe Array(UnsafeBufferPointer(start: wire.data.data, count: wire.data.len))
        }
    }

    package static func framed(_ bytes: [UInt8]) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SegmentChunk.self)
            unsafe wire.pointee.data.len = bytes.count
            unsafe wire.pointee.data.data = arena.array(bytes) { $0 }
            return unsafe wire
        }
    }
}
