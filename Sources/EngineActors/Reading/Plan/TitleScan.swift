// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Extends the plan of a title on a server, in steps.
struct TitleScan {
    private var units: UnitPlan
    private var hasBegun = false
    /// The source fetches expected ranges only while their cursor exists.
    private var bytes: (any ByteCursor)?

    init(_ units: UnitPlan) { self.units = units }

    /// Reads more units. The first step reads nothing, and returns the known beginning of the plan.
    ///
    /// - Parameter isAwaited: as in `UnitPlan.advance`.
    /// - Returns: the plan so far, and the fraction of the title that has been read.
    mutating func step(
        in file: any ByteSource,
        isAwaited: Bool,
        until deadline: Deadline,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> (plan: SegmentPlan, progress: Double) {
        if hasBegun, !units.isComplete {
            let cursor = bytes ?? file.cursor(interrupt)
            bytes = cursor
            try units.advance(cursor, isAwaited: isAwaited, until: deadline)
        }
        hasBegun = true
        if units.isComplete { bytes = nil }
        return (units.plan, units.progress)
    }
}
