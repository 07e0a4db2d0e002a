// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// `InspectSegment`: receives an init segment and a media segment in pieces, and answers with a report.
final class InspectHandler: CallHandler {
    private let core: ServerCore
    private var segment: [UInt8] = []
    private var heldByteCount = 0
    private var response: [UInt8]?
    private var task: Task<Void, Never>?

    init(core: ServerCore) { self.core = core }

    func receive(_ message: [UInt8], on call: ServerCall) {
        let limits = core.limits
        guard segment.count + message.count <= limits.inspectedBytes,
            core.quota.hasRoom(forRequestBytes: message.count)
        else {
            let text =
                "the limit is \(limits.inspectedBytes) bytes per segment and "
                + "\(limits.heldRequestBytes) for all requests"
            return call.finish(GRPCStatus(EngineError(.resourceExhausted, text)))
        }
        do throws(EngineError) { try SegmentChunk.append(wire: message, to: &segment) } catch {
            return call.finish(GRPCStatus(error))
        }
        account()
    }

    func receiveEnd(on call: ServerCall) {
        guard !segment.isEmpty else {
            return call.finish(GRPCStatus(EngineError.invalid("data", "is empty")))
        }
        let service = core.service
        let bytes = segment
        task = call.run { () throws(EngineError) in
            try await service.inspect(segment: bytes).framed()
        } completion: { [weak self] framed in
            self?.response = framed
            call.finish(.ok)
        }
    }

    func nextMessage() -> [UInt8]? {
        defer { response = nil }
        return response
    }

    func callEnded() {
        task?.cancel()
        segment = []
        account()
    }

    /// Updates the bytes of this call in the total of all calls.
    private func account() {
        core.quota.holdRequestBytes(segment.count, insteadOf: heldByteCount)
        heldByteCount = segment.count
    }
}
