// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

/// One message from a renderer.
package enum RenderRequest: Hashable {
    case attach(RendererOffer)
    case report(RendererReport)

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__RenderRequest.self) { wire throws(EngineError) in
            switch unsafe wire.request_case {
            case ENGINE__V1__RENDER_REQUEST__REQUEST_ATTACH:
                guard let attach = unsafe wire.attach?.pointee else { break }
                return .attach(try unsafe RendererOffer(wire: attach))
            case ENGINE__V1__RENDER_REQUEST__REQUEST_REPORT:
                guard let report = unsafe wire.report?.pointee else { break }
                return .report(try unsafe RendererReport(wire: report))
            default: break
            }
            throw .invalid("request", "is neither attach nor report")
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__RenderRequest.self)
            switch self {
            case .attach(let offer):
                unsafe wire.pointee.request_case = ENGINE__V1__RENDER_REQUEST__REQUEST_ATTACH
                unsafe wire.pointee.attach = offer.wire(in: arena)
            case .report(let report):
                unsafe wire.pointee.request_case = ENGINE__V1__RENDER_REQUEST__REQUEST_REPORT
                unsafe wire.pointee.report = report.wire(in: arena)
            }
            return unsafe wire
        }
    }
}

extension RendererOffer {
    init(wire: Engine__V1__AttachRenderer) throws(EngineError) {
        let name = unsafe text(wire.name)
        guard (1...64).contains(name.utf8.count) else { throw .invalid("attach.name", "must have 1 to 64 bytes") }
        unsafe self.init(session: .wire(text(wire.session_id)), name: name, replaces: wire.replace != 0)
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__AttachRenderer> {
        let wire = unsafe arena.message(Engine__V1__AttachRenderer.self)
        unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
        unsafe wire.pointee.name = arena.string(name)
        unsafe wire.pointee.replace = replaces ? 1 : 0
        return unsafe wire
    }
}

extension RendererReport {
    private static let rangeLimit = 64

    init(wire: Engine__V1__RendererReport) throws(EngineError) {
        guard unsafe wire.rate >= 0, unsafe wire.rate <= 100 else { throw .invalid("report.rate", "must be 0 … 100") }
        guard unsafe wire.n_buffered <= Self.rangeLimit else {
            throw .invalid("report.buffered", "has more than \(Self.rangeLimit) ranges")
        }
        unsafe self.init(position: .clamped(wire.position_us), rate: wire.rate)
        isBuffering = unsafe wire.buffering != 0
        hasEnded = unsafe wire.ended != 0
        seekID = unsafe wire.seek_id
        droppedFrames = unsafe wire.dropped_frames
        lastCommand = unsafe wire.last_command == 0 ? nil : wire.last_command
        buffered = try unsafe values(wire.buffered, wire.n_buffered) { range throws(EngineError) in
            let (start, end) = unsafe (MediaTime.clamped(range.start_us), MediaTime.clamped(range.end_us))
            guard start >= .zero else { throw .invalid("report.buffered", "has a range that starts before 0") }
            guard start <= end else { throw .invalid("report.buffered", "has a range that ends before it starts") }
            return MediaTimeRange(start: start, end: end)
        }
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__RendererReport> {
        let wire = unsafe arena.message(Engine__V1__RendererReport.self)
        unsafe wire.pointee.position_us = position.microseconds
        unsafe wire.pointee.rate = rate
        unsafe wire.pointee.buffering = isBuffering ? 1 : 0
        unsafe wire.pointee.ended = hasEnded ? 1 : 0
        unsafe wire.pointee.seek_id = seekID
        unsafe wire.pointee.dropped_frames = droppedFrames
        unsafe wire.pointee.last_command = lastCommand ?? 0
        unsafe wire.pointee.n_buffered = buffered.count
        unsafe wire.pointee.buffered = arena.array(buffered) { unsafe .some($0.wire(in: arena)) }
        return unsafe wire
    }
}
