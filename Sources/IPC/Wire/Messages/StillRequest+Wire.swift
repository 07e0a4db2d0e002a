// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encoding and decoding of the requests for stills.

extension StillSource {
    init(wire: UnsafeMutablePointer<Engine__V1__StillSource>?) throws(EngineError) {
        guard let wire = unsafe wire?.pointee else {
            self = .session(nil)
            return
        }
        switch unsafe wire.kind_case {
        case ENGINE__V1__STILL_SOURCE__KIND_SOURCE:
            let source = unsafe text(wire.source)
            if source.isEmpty { throw .invalid("of.source", "is empty") }
            self = .file(source)
        case ENGINE__V1__STILL_SOURCE__KIND_SESSION_ID: self = .session(unsafe .wire(text(wire.session_id)))
        default: self = .session(nil)
        }
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__StillSource> {
        let wire = unsafe arena.message(Engine__V1__StillSource.self)
        switch self {
        case .session(let id):
            unsafe wire.pointee.kind_case = ENGINE__V1__STILL_SOURCE__KIND_SESSION_ID
            unsafe wire.pointee.session_id = arena.string(id?.rawValue ?? "")
        case .file(let source):
            unsafe wire.pointee.kind_case = ENGINE__V1__STILL_SOURCE__KIND_SOURCE
            unsafe wire.pointee.source = arena.string(source)
        }
        return unsafe wire
    }
}

extension StillRequest {
    /// The maximum width of a thumbnail if the request sets none.
    private static let thumbnailWidth = 320

    package init(thumbnail bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ThumbnailRequest.self) { wire throws(EngineError) in
            var request = try unsafe StillRequest(
                .thumbnail,
                of: StillSource(wire: wire.of),
                at: Self.time(wire.time_us),
                style: Self.style(wire.style),
                waitsItsTurn: wire.waits_its_turn != 0
            )
            if request.style.maximumWidth == nil, request.style.maximumHeight == nil {
                request.style.maximumWidth = Self.thumbnailWidth
            }
            return request
        }
    }

    package init(snapshot bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SnapshotRequest.self) { wire throws(EngineError) in
            try unsafe StillRequest(
                .snapshot,
                of: StillSource(wire: wire.of),
                at: Self.time(wire.time_us),
                style: Self.style(wire.style),
                waitsItsTurn: wire.waits_its_turn != 0
            )
        }
    }

    private static func time(_ wire: Int64) throws(EngineError) -> MediaTime {
        if wire < 0 { throw .invalid("time_us", "is below 0") }
        return .clamped(wire)
    }

    static func style(
        _ wire: UnsafeMutablePointer<Engine__V1__StillStyle>?
    ) throws(EngineError) -> StillStyle {
        guard let wire = unsafe wire else { return StillStyle() }
        return try unsafe StillStyle(wire: wire.pointee)
    }

    package func framed() -> [UInt8] {
        switch kind {
        case .thumbnail:
            unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__ThumbnailRequest.self)
                unsafe wire.pointee.of = source.wire(in: arena)
                unsafe wire.pointee.time_us = time.microseconds
                unsafe wire.pointee.style = style.wire(in: arena)
                unsafe wire.pointee.waits_its_turn = waitsItsTurn ? 1 : 0
                return unsafe wire
            }
        case .snapshot:
            unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SnapshotRequest.self)
                unsafe wire.pointee.of = source.wire(in: arena)
                unsafe wire.pointee.time_us = time.microseconds
                unsafe wire.pointee.style = style.wire(in: arena)
                unsafe wire.pointee.waits_its_turn = waitsItsTurn ? 1 : 0
                return unsafe wire
            }
        }
    }
}

/// `PrewarmRequest` and its empty response.
package enum PrewarmMessages {
    package static func source(wire bytes: [UInt8]) throws(EngineError) -> StillSource {
        try unsafe decode(bytes, as: Engine__V1__PrewarmRequest.self) { wire throws(EngineError) in
            try unsafe StillSource(wire: wire.of)
        }
    }

    package static func framed(_ source: StillSource) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__PrewarmRequest.self)
            unsafe wire.pointee.of = source.wire(in: arena)
            return unsafe wire
        }
    }

    package static func framedAnswer() -> [UInt8] {
        unsafe encodeFramed { arena in unsafe arena.message(Engine__V1__PrewarmResponse.self) }
    }

    package static func check(answer bytes: [UInt8]) throws(EngineError) {
        try unsafe decode(bytes, as: Engine__V1__PrewarmResponse.self) { _ throws(EngineError) in }
    }
}
