// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension WatchOptions {
    /// Allowed intervals in microseconds. Others are clamped.
    private static let intervals: ClosedRange<Int64> = 10_000...3_600_000_000

    private static func interval(_ microseconds: Int64) -> Duration {
        .microseconds(min(max(microseconds, intervals.lowerBound), intervals.upperBound))
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.WatchRequest(bytes)
        var options = WatchOptions()
        let session = SessionID.wire(wire.sessionID)
        if wire.allSessions {
            if session != nil {
                throw .invalid("session_id", "and all_sessions cannot both be set")
            }
            options.scope = .allSessions
        } else if let session {
            options.scope = .session(session)
        }
        switch wire.timeIntervalMicroseconds {
        case 0: break
        case -1: options.timeInterval = nil
        case 1...: options.timeInterval = Self.interval(wire.timeIntervalMicroseconds)
        default: throw .invalid("time_interval_us", "is below -1")
        }
        switch wire.batchIntervalMicroseconds {
        case 0: break
        case 1...: options.batchInterval = Self.interval(wire.batchIntervalMicroseconds)
        default: throw .invalid("batch_interval_us", "is below 0")
        }
        options.hasCues = !wire.withoutCues
        let lead = MediaTime.clamped(wire.cueLeadMicroseconds)
        if lead < .zero { throw .invalid("cue_lead_us", "is below 0") }
        options.cueLead = lead
        let fields = try StateFields(wire: wire.fields)
        if !fields.isEmpty { options.fields = fields }
        self = options
    }

    package func framed() -> [UInt8] {
        var wire = Proto.WatchRequest()
        switch scope {
        case .defaultSession: break
        case .session(let id): wire.sessionID = id.rawValue
        case .allSessions: wire.allSessions = true
        }
        wire.timeIntervalMicroseconds = timeInterval.map { max(1, Int64(($0 / .microseconds(1)).rounded())) } ?? -1
        wire.batchIntervalMicroseconds = batchInterval.map { max(1, Int64(($0 / .microseconds(1)).rounded())) } ?? 0
        wire.withoutCues = !hasCues
        wire.cueLeadMicroseconds = cueLead.microseconds
        if fields != .all { wire.fields = fields.wireNumbers }
        return wire.framed()
    }
}
