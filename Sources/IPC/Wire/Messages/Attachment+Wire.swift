// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encoding and decoding of the requests for frames and audio out of process, and of their answer.

extension FramesRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__AttachFramesRequest.self) { wire throws(EngineError) in
            var request = FramesRequest(of: unsafe .wire(text(wire.session_id)))
            request.format = try FrameFormat(wire: unsafe wire.format)
            request.maximumWidth = try Self.side(unsafe wire.max_width, "max_width")
            request.maximumHeight = try Self.side(unsafe wire.max_height, "max_height")
            if request.format == .source, request.maximumWidth != nil || request.maximumHeight != nil {
                throw .invalid("max_width", "does not apply to frames in their decoded format")
            }
            let slots = unsafe Int(wire.slots)
            guard slots == 0 || Self.slotCounts.contains(slots) else {
                throw .invalid("slots", "must be \(Self.slotCounts.lowerBound) … \(Self.slotCounts.upperBound)")
            }
            if slots > 0 { request.slotCount = slots }
            switch unsafe wire.pace {
            case ENGINE__V1__FRAME_PACE__FRAME_PACE_UNSPECIFIED, ENGINE__V1__FRAME_PACE__FRAME_PACE_REALTIME: break
            case ENGINE__V1__FRAME_PACE__FRAME_PACE_EVERY_FRAME: request.pace = .everyFrame
            default: throw .invalid("pace", "is unknown")
            }
            return request
        }
    }

    private static func side(_ wire: UInt32, _ field: String) throws(EngineError) -> Int? {
        guard wire <= largestSide else { throw .invalid(field, "must be at most \(largestSide)") }
        return wire == 0 ? nil : Int(wire)
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__AttachFramesRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.format = format.wire
            unsafe wire.pointee.max_width = UInt32(clamping: maximumWidth ?? 0)
            unsafe wire.pointee.max_height = UInt32(clamping: maximumHeight ?? 0)
            unsafe wire.pointee.slots = UInt32(clamping: slotCount)
            unsafe wire.pointee.pace =
                pace == .realTime
                ? ENGINE__V1__FRAME_PACE__FRAME_PACE_REALTIME : ENGINE__V1__FRAME_PACE__FRAME_PACE_EVERY_FRAME
            return unsafe wire
        }
    }
}

extension FrameFormat {
    fileprivate init(wire: Engine__V1__FrameFormat) throws(EngineError) {
        switch wire {
        case ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_UNSPECIFIED: self = .source
        default:
            guard let format = Self.allCases.first(where: { $0.wire == wire }) else {
                throw .invalid("format", "is unknown")
            }
            self = format
        }
    }

    fileprivate var wire: Engine__V1__FrameFormat {
        switch self {
        case .source: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_SOURCE
        case .nv12: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_NV12
        case .p010: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_P010
        case .i420: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_I420
        case .rgba8: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_RGBA8
        case .rgbaHalf: ENGINE__V1__FRAME_FORMAT__FRAME_FORMAT_RGBA_HALF
        }
    }
}

extension SoundRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__AttachAudioRequest.self) { wire throws(EngineError) in
            var request = SoundRequest(of: unsafe .wire(text(wire.session_id)))
            switch unsafe wire.format {
            case ENGINE__V1__PCM_FORMAT__PCM_FORMAT_UNSPECIFIED, ENGINE__V1__PCM_FORMAT__PCM_FORMAT_F32: break
            case ENGINE__V1__PCM_FORMAT__PCM_FORMAT_S16: request.format = .int16
            default: throw .invalid("format", "is unknown")
            }
            let rate = unsafe Int(wire.rate)
            guard rate == 0 || Self.rates.contains(rate) else {
                throw .invalid("rate", "must be \(Self.rates.lowerBound) … \(Self.rates.upperBound)")
            }
            if rate > 0 { request.rate = rate }
            let layout = unsafe text(wire.layout)
            if !layout.isEmpty { request.layout = layout }
            let buffer = MediaTime(microseconds: unsafe wire.buffer_us)
            guard buffer == .zero || Self.buffers.contains(buffer) else {
                throw .invalid("buffer_us", "must be 50000 … 10000000")
            }
            if buffer > .zero { request.buffer = buffer }
            return request
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__AttachAudioRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.format =
                format == .int16 ? ENGINE__V1__PCM_FORMAT__PCM_FORMAT_S16 : ENGINE__V1__PCM_FORMAT__PCM_FORMAT_F32
            unsafe wire.pointee.rate = UInt32(clamping: rate ?? 0)
            unsafe wire.pointee.layout = arena.string(layout ?? "")
            unsafe wire.pointee.buffer_us = buffer.microseconds
            return unsafe wire
        }
    }
}

/// The ticket for shared memory, and the socket on which to present it.
package struct AttachmentAnswer: Hashable, Sendable {
    package let ticket: HandoverTicket
    package let socketPath: String

    package init(ticket: HandoverTicket, socketPath: String) {
        self.ticket = ticket
        self.socketPath = socketPath
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__Attachment.self) { wire throws(EngineError) in
            let data = unsafe wire.ticket
            let bytes = unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
            guard let ticket = HandoverTicket(bytes) else { throw .invalid("ticket", "is not a valid ticket") }
            return AttachmentAnswer(ticket: ticket, socketPath: unsafe text(wire.socket_path))
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__Attachment.self)
            unsafe wire.pointee.ticket.len = ticket.bytes.count
            unsafe wire.pointee.ticket.data = arena.array(ticket.bytes) { $0 }
            unsafe wire.pointee.socket_path = arena.string(socketPath)
            return unsafe wire
        }
    }
}
