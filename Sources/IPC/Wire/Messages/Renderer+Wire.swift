// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One message from a renderer.
package enum RenderRequest: Hashable {
    case attach(RendererOffer)
    case report(RendererReport)

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RenderRequest(bytes)
        switch wire.request {
        case .attach(let attach): self = .attach(try RendererOffer(wire: attach))
        case .report(let report): self = .report(try RendererReport(wire: report))
        case nil: throw .invalid("request", "is neither attach nor report")
        }
    }

    package func framed() -> [UInt8] {
        var wire = Proto.RenderRequest()
        switch self {
        case .attach(let offer): wire.request = .attach(offer.wire)
        case .report(let report): wire.request = .report(report.wire)
        }
        return wire.framed()
    }
}

extension RendererOffer {
    init(wire: Proto.AttachRenderer) throws(EngineError) {
        let name = wire.name
        guard (1...64).contains(name.utf8.count) else { throw .invalid("attach.name", "must have 1 to 64 bytes") }
        self.init(session: .wire(wire.sessionID), name: name, replaces: wire.replace)
    }

    var wire: Proto.AttachRenderer {
        Proto.AttachRenderer(sessionID: session?.rawValue ?? "", name: name, replace: replaces)
    }
}

extension RendererReport {
    private static let rangeLimit = 64

    init(wire: Proto.RendererReport) throws(EngineError) {
        guard wire.rate >= 0, wire.rate <= 100 else { throw .invalid("report.rate", "must be 0 … 100") }
        guard wire.buffered.count <= Self.rangeLimit else {
            throw .invalid("report.buffered", "has more than \(Self.rangeLimit) ranges")
        }
        self.init(position: .clamped(wire.positionMicroseconds), rate: wire.rate)
        isBuffering = wire.buffering
        hasEnded = wire.ended
        seekID = wire.seekID
        droppedFrames = wire.droppedFrames
        lastCommand = wire.lastCommand == 0 ? nil : wire.lastCommand
        buffered = try wire.buffered.map { range throws(EngineError) in
            let (start, end) = (MediaTime.clamped(range.startMicroseconds), MediaTime.clamped(range.endMicroseconds))
            guard start >= .zero else { throw .invalid("report.buffered", "has a range that starts before 0") }
            guard start <= end else { throw .invalid("report.buffered", "has a range that ends before it starts") }
            return MediaTimeRange(start: start, end: end)
        }
    }

    var wire: Proto.RendererReport {
        var wire = Proto.RendererReport()
        wire.positionMicroseconds = position.microseconds
        wire.rate = rate
        wire.buffering = isBuffering
        wire.ended = hasEnded
        wire.seekID = seekID
        wire.droppedFrames = droppedFrames
        wire.lastCommand = lastCommand ?? 0
        wire.buffered = buffered.map(\.wire)
        return wire
    }
}
