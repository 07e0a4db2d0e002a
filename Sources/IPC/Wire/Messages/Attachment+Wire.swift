// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of `AttachFrames` and `AttachAudio`, and of their answer.

extension FramesRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.AttachFramesRequest(bytes)
        var request = FramesRequest(of: .wire(wire.sessionID))
        request.format = try FrameFormat(wire: wire.format)
        request.maximumWidth = try Self.side(wire.maxWidth, "max_width")
        request.maximumHeight = try Self.side(wire.maxHeight, "max_height")
        if request.format == .source, request.maximumWidth != nil || request.maximumHeight != nil {
            throw .invalid("max_width", "does not apply to frames in their decoded format")
        }
        let slots = Int(wire.slots)
        guard slots == 0 || Self.slotCounts.contains(slots) else {
            throw .invalid("slots", "must be \(Self.slotCounts.lowerBound) … \(Self.slotCounts.upperBound)")
        }
        if slots > 0 { request.slotCount = slots }
        switch wire.pace {
        case .unspecified, .realtime: break
        case .everyFrame: request.pace = .everyFrame
        default: throw .invalid("pace", "is unknown")
        }
        self = request
    }

    private static func side(_ wire: UInt32, _ field: String) throws(EngineError) -> Int? {
        guard wire <= largestSide else { throw .invalid(field, "must be at most \(largestSide)") }
        return wire == 0 ? nil : Int(wire)
    }

    package func framed() -> [UInt8] {
        var wire = Proto.AttachFramesRequest()
        wire.sessionID = session?.rawValue ?? ""
        wire.format = format.wire
        wire.maxWidth = UInt32(clamping: maximumWidth ?? 0)
        wire.maxHeight = UInt32(clamping: maximumHeight ?? 0)
        wire.slots = UInt32(clamping: slotCount)
        wire.pace = pace == .realTime ? .realtime : .everyFrame
        return wire.framed()
    }
}

extension FrameFormat {
    fileprivate init(wire: Proto.FrameFormat) throws(EngineError) {
        switch wire {
        case .unspecified: self = .source
        default:
            guard let format = Self.allCases.first(where: { $0.wire == wire }) else {
                throw .invalid("format", "is unknown")
            }
            self = format
        }
    }

    fileprivate var wire: Proto.FrameFormat {
        switch self {
        case .source: .source
        case .nv12: .nv12
        case .p010: .p010
        case .i420: .i420
        case .rgba8: .rgba8
        case .rgbaHalf: .rgbaHalf
        }
    }
}

extension AudioRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.AttachAudioRequest(bytes)
        var request = AudioRequest(of: .wire(wire.sessionID))
        switch wire.format {
        case .unspecified, .f32: break
        case .s16: request.format = .int16
        default: throw .invalid("format", "is unknown")
        }
        let rate = Int(wire.rate)
        guard rate == 0 || Self.rates.contains(rate) else {
            throw .invalid("rate", "must be \(Self.rates.lowerBound) … \(Self.rates.upperBound)")
        }
        if rate > 0 { request.rate = rate }
        let layout = wire.layout
        if !layout.isEmpty { request.layout = layout }
        let buffer = MediaTime(microseconds: wire.bufferMicroseconds)
        guard buffer == .zero || Self.buffers.contains(buffer) else {
            throw .invalid("buffer_us", "must be 50000 … 10000000")
        }
        if buffer > .zero { request.buffer = buffer }
        self = request
    }

    package func framed() -> [UInt8] {
        var wire = Proto.AttachAudioRequest()
        wire.sessionID = session?.rawValue ?? ""
        wire.format = format == .int16 ? .s16 : .f32
        wire.rate = UInt32(clamping: rate ?? 0)
        wire.layout = layout ?? ""
        wire.bufferMicroseconds = buffer.microseconds
        return wire.framed()
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
        let wire = try Proto.Attachment(bytes)
        guard let ticket = HandoverTicket(wire.ticket) else { throw .invalid("ticket", "is not a valid ticket") }
        self = AttachmentAnswer(ticket: ticket, socketPath: wire.socketPath)
    }

    package func framed() -> [UInt8] {
        var wire = Proto.Attachment()
        wire.ticket = ticket.bytes
        wire.socketPath = socketPath
        return wire.framed()
    }
}
