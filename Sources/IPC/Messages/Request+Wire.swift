// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

// The requests of engine.v1.Engine, both ways. Decoding refuses what is out of range by the field's name.

extension SessionID {
    /// An empty id stands for the default session.
    static func wire(_ text: String) -> SessionID? { text.isEmpty ? nil : SessionID(rawValue: text) }
}

extension LoadRequest {
    init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__LoadRequest.self) { wire throws(EngineError) in
            var request = LoadRequest(source: unsafe text(wire.source))
            if request.source.isEmpty { throw EngineError(.invalidArgument, "source is empty") }
            request.startPosition = MediaTime(microseconds: unsafe wire.start_position_us)
            if request.startPosition < .zero { throw EngineError(.invalidArgument, "start_position_us is below 0") }
            if let options = unsafe wire.options?.pointee { request.options = try unsafe LoadOptions(wire: options) }
            return request
        }
    }

    func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__LoadRequest.self)
            unsafe wire.pointee.source = arena.string(source)
            unsafe wire.pointee.start_position_us = startPosition.microseconds
            unsafe wire.pointee.options = options.wire(in: arena)
            return unsafe wire
        }
    }
}

extension CommandRequest {
    /// A `SessionRequest` that stands for `command`.
    init(wire bytes: [UInt8], command: Command) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SessionRequest.self) { wire throws(EngineError) in
            unsafe CommandRequest(
                session: .wire(text(wire.session_id)),
                ifRevision: wire.if_revision == 0 ? nil : wire.if_revision,
                command: command
            )
        }
    }

    init(seek bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SeekRequest.self) { wire throws(EngineError) in
            unsafe CommandRequest(
                session: .wire(text(wire.session_id)),
                ifRevision: wire.if_revision == 0 ? nil : wire.if_revision,
                command: .seek(to: .clamped(wire.position_us), isRelative: wire.relative != 0)
            )
        }
    }

    init(setRate bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetRateRequest.self) { wire throws(EngineError) in
            if unsafe wire.rate.isNaN { throw EngineError(.invalidArgument, "rate is not a number") }
            return unsafe CommandRequest(
                session: .wire(text(wire.session_id)),
                ifRevision: wire.if_revision == 0 ? nil : wire.if_revision,
                command: .setRate(wire.rate)
            )
        }
    }

    init(selectAudio bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SelectAudioRequest.self) { wire throws(EngineError) in
            try unsafe CommandRequest(
                session: .wire(text(wire.session_id)),
                ifRevision: wire.if_revision == 0 ? nil : wire.if_revision,
                command: .selectAudio(AudioSelection(optional: wire.audio))
            )
        }
    }

    func framed() -> [UInt8] {
        let id = session?.rawValue ?? ""
        let revision = ifRevision ?? 0
        switch command {
        case .seek(let target, let isRelative):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SeekRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.position_us = target.microseconds
                unsafe wire.pointee.relative = isRelative ? 1 : 0
                return unsafe wire
            }
        case .setRate(let rate):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SetRateRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.rate = rate
                return unsafe wire
            }
        case .selectAudio(let selection):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SelectAudioRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.audio = selection.wire(in: arena)
                return unsafe wire
            }
        case .play, .pause, .stop:
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SessionRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                return unsafe wire
            }
        }
    }
}

extension MediaTime {
    /// Far beyond any timeline and far from overflow: the engine clamps to the timeline and says so.
    static func clamped(_ microseconds: Int64) -> MediaTime {
        MediaTime(microseconds: min(max(microseconds, -(1 << 53)), 1 << 53))
    }
}

/// A `ProbeRequest`: a source, and for whom its routes are told.
struct ProbeRequest: Hashable {
    var source: String
    var options = LoadOptions()

    init(source: String, options: LoadOptions) {
        self.source = source
        self.options = options
    }

    init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ProbeRequest.self) { wire throws(EngineError) in
            let source = unsafe text(wire.source)
            if source.isEmpty { throw EngineError(.invalidArgument, "source is empty") }
            let options = try unsafe wire.options.map { options throws(EngineError) in
                try unsafe LoadOptions(wire: options.pointee)
            }
            return ProbeRequest(source: source, options: options ?? LoadOptions())
        }
    }

    func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__ProbeRequest.self)
            unsafe wire.pointee.source = arena.string(source)
            unsafe wire.pointee.options = options.wire(in: arena)
            return unsafe wire
        }
    }
}

/// `ListSessionsRequest` has no fields: its bytes are checked, and made, all the same.
enum ListSessionsRequest {
    static func check(_ bytes: [UInt8]) throws(EngineError) {
        try unsafe decode(bytes, as: Engine__V1__ListSessionsRequest.self) { _ throws(EngineError) in }
    }

    static func framed() -> [UInt8] {
        unsafe encodeFramed { arena in unsafe arena.message(Engine__V1__ListSessionsRequest.self) }
    }
}

/// One piece of the stream that `InspectSegment` takes.
enum SegmentChunk {
    static func append(wire bytes: [UInt8], to segment: inout [UInt8]) throws(EngineError) {
        segment += try unsafe decode(bytes, as: Engine__V1__SegmentChunk.self) { wire throws(EngineError) in
            unsafe Array(UnsafeBufferPointer(start: wire.data.data, count: wire.data.len))
        }
    }

    static func framed(_ bytes: [UInt8]) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SegmentChunk.self)
            unsafe wire.pointee.data.len = bytes.count
            unsafe wire.pointee.data.data = arena.array(bytes) { $0 }
            return unsafe wire
        }
    }
}
