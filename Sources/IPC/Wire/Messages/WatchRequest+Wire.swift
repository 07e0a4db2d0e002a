// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension WatchOptions {
    /// Allowed intervals in microseconds. Others are clamped.
    private static let intervals: ClosedRange<Int64> = 10_000...3_600_000_000

    private static func interval(_ microseconds: Int64) -> Duration {
        .microseconds(min(max(microseconds, intervals.lowerBound), intervals.upperBound))
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__WatchRequest.self) { wire throws(EngineError) in
            var options = WatchOptions()
            let session = unsafe SessionID.wire(text(wire.session_id))
            if unsafe wire.all_sessions != 0 {
                if session != nil {
                    throw .invalid("session_id", "and all_sessions exclude each other")
                }
                options.scope = .allSessions
            } else if let session {
                options.scope = .session(session)
            }
            switch unsafe wire.time_interval_us {
            case 0: break
            case -1: options.timeInterval = nil
            case 1...: options.timeInterval = unsafe Self.interval(wire.time_interval_us)
            default: throw .invalid("time_interval_us", "is below -1")
            }
            switch unsafe wire.batch_interval_us {
            case 0: break
            case 1...: options.batchInterval = unsafe Self.interval(wire.batch_interval_us)
            default: throw .invalid("batch_interval_us", "is below 0")
            }
            options.hasCues = unsafe wire.without_cues == 0
            let lead = unsafe MediaTime.clamped(wire.cue_lead_us)
            if lead < .zero { throw .invalid("cue_lead_us", "is below 0") }
            options.cueLead = lead
            let fields = try unsafe StateFields(wire: wire.fields, count: wire.n_fields)
            if !fields.isEmpty { options.fields = fields }
            return options
        }
    }

    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__WatchRequest.self)
            switch scope {
            case .defaultSession: break
            case .session(let id): unsafe wire.pointee.session_id = arena.string(id.rawValue)
            case .allSessions: unsafe wire.pointee.all_sessions = 1
            }
            unsafe wire.pointee.time_interval_us = timeInterval.map { max(1, Int64($0 / .microseconds(1))) } ?? -1
            unsafe wire.pointee.batch_interval_us = batchInterval.map { max(1, Int64($0 / .microseconds(1))) } ?? 0
            unsafe wire.pointee.without_cues = hasCues ? 0 : 1
            unsafe wire.pointee.cue_lead_us = cueLead.microseconds
            if fields != .all {
                let numbers = fields.wireNumbers
                unsafe wire.pointee.n_fields = numbers.count
                unsafe wire.pointee.fields = arena.array(numbers) { $0 }
            }
            return unsafe wire
        }
    }
}
