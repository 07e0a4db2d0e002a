// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of the requests for stills.

extension StillSource {
    init(wire: Proto.StillSource?) throws(EngineError) {
        switch wire?.kind {
        case .source(let source):
            if source.isEmpty { throw .invalid("of.source", "is empty") }
            let program: ProgramSelection
            do throws(EngineError) {
                program = try ProgramSelection(wire: wire?.program)
            } catch {
                throw error.below("of")
            }
            let http = try HTTPOptions(wire: wire?.httpHeaders ?? [], wire?.httpConnection)
            self = .source(source, http, program: program)
        case .sessionID(let id): self = .session(.wire(id))
        case nil: self = .session(nil)
        }
    }

    var wire: Proto.StillSource {
        switch self {
        case .session(let id): Proto.StillSource(kind: .sessionID(id?.rawValue ?? ""))
        case .source(let source, let http, let program):
            Proto.StillSource(
                httpHeaders: http.headers.map(\.wire),
                httpConnection: http.connection.wire,
                program: program.wire,
                kind: .source(source)
            )
        }
    }
}

extension StillRequest {
    /// The maximum width of a thumbnail, in pixels, if the request limits neither width nor height.
    private static let thumbnailWidth = 320

    package init(thumbnail bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.ThumbnailRequest(bytes)
        var request = try StillRequest(
            .thumbnail,
            of: StillSource(wire: wire.of),
            at: Self.time(wire.timeMicroseconds),
            style: Self.style(wire.style),
            waitsItsTurn: wire.waitsItsTurn
        )
        if request.style.maximumWidth == nil, request.style.maximumHeight == nil {
            request.style.maximumWidth = Self.thumbnailWidth
        }
        self = request
    }

    package init(snapshot bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SnapshotRequest(bytes)
        self = try StillRequest(
            .snapshot,
            of: StillSource(wire: wire.of),
            at: Self.time(wire.timeMicroseconds),
            style: Self.style(wire.style),
            waitsItsTurn: wire.waitsItsTurn
        )
    }

    private static func time(_ wire: Int64) throws(EngineError) -> MediaTime {
        if wire < 0 { throw .invalid("time_us", "is below 0") }
        return .clamped(wire)
    }

    static func style(_ wire: Proto.StillStyle?) throws(EngineError) -> StillStyle {
        guard let wire else { return StillStyle() }
        return try StillStyle(wire: wire)
    }

    package func framed() -> [UInt8] {
        switch kind {
        case .thumbnail:
            Proto.ThumbnailRequest(
                of: source.wire,
                timeMicroseconds: time.microseconds,
                style: style.wire,
                waitsItsTurn: waitsItsTurn
            ).framed()
        case .snapshot:
            Proto.SnapshotRequest(
                of: source.wire,
                timeMicroseconds: time.microseconds,
                style: style.wire,
                waitsItsTurn: waitsItsTurn
            ).framed()
        }
    }
}

/// `PrewarmRequest` and its empty response.
package enum PrewarmMessages {
    package static func source(wire bytes: [UInt8]) throws(EngineError) -> StillSource {
        try StillSource(wire: Proto.PrewarmRequest(bytes).of)
    }

    package static func framed(_ source: StillSource) -> [UInt8] {
        Proto.PrewarmRequest(of: source.wire).framed()
    }

    package static func framedAnswer() -> [UInt8] {
        Proto.PrewarmResponse().framed()
    }

    package static func check(answer bytes: [UInt8]) throws(EngineError) {
        _ = try Proto.PrewarmResponse(bytes)
    }
}
