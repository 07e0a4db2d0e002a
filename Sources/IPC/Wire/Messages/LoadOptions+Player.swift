// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

// The player settings of one load: phase timeouts and the range of rates.
extension LoadOptions {
    mutating func takePlayer(_ wire: Engine__V1__LoadOptions) throws(EngineError) {
        guard unsafe wire.n_timeouts <= Phase.Name.allCases.count else {
            throw .invalid("timeouts", "has more entries than there are phases")
        }
        let given = try unsafe values(wire.timeouts, wire.n_timeouts) { timeout throws(EngineError) in
            try unsafe Self.timeout(timeout)
        }
        for (phase, timeout) in given { timeouts[phase] = timeout }
        guard let range = unsafe wire.rate_range?.pointee else { return }
        let (lowest, highest) = unsafe (range.min, range.max)
        guard lowest.isFinite, highest.isFinite, lowest <= highest, PlayerSettings.isUsable(lowest...highest) else {
            throw .invalid("rate_range", "must satisfy 0 ≤ min ≤ 1 ≤ max ≤ 16")
        }
        rateRange = lowest...highest
    }

    private static func timeout(_ wire: Engine__V1__PhaseTimeout) throws(EngineError) -> (Phase.Name, Duration) {
        guard let phase = unsafe Phase.Name(wire: wire.phase), phase.defaultTimeout != nil else {
            throw .invalid("timeouts.phase", "is not a phase with a time-out")
        }
        let timeout = unsafe Duration.microseconds(wire.timeout_us)
        guard timeout >= .zero, timeout <= PlayerSettings.longestTimeout else {
            throw .invalid("timeouts.timeout_us", "must be from 0 to one day")
        }
        return (phase, timeout)
    }

    func wirePlayer(_ wire: UnsafeMutablePointer<Engine__V1__LoadOptions>, in arena: MessageArena) {
        let given = timeouts.sorted { $0.key.rawValue < $1.key.rawValue }
        unsafe wire.pointee.n_timeouts = given.count
        unsafe wire.pointee.timeouts = arena.array(given) { phase, timeout in
            let entry = unsafe arena.message(Engine__V1__PhaseTimeout.self)
            unsafe entry.pointee.phase = phase.wire
            unsafe entry.pointee.timeout_us = Int64(timeout / .microseconds(1))
            return unsafe .some(entry)
        }
        guard let rateRange else { return }
        let range = unsafe arena.message(Engine__V1__RateRange.self)
        unsafe range.pointee.min = rateRange.lowerBound
        unsafe range.pointee.max = rateRange.upperBound
        unsafe wire.pointee.rate_range = range
    }
}
