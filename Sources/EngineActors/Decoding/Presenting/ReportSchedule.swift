// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides when a report is due.
struct ReportSchedule {
    private static let interval: Int64 = 1_000_000_000
    /// How far the playhead may deviate from the last report before a new one is due, in microseconds.
    private static let tolerance: UInt64 = 10_000

    private var lastCommand: UInt64 = 0
    private var last: (report: RendererReport, at: Int64)?

    /// When a report is due even if nothing changes.
    var deadline: Int64? { last.flatMap { $0.report.rate > 0 ? $0.at + Self.interval : nil } }

    mutating func obeyed(_ command: UInt64) { lastCommand = command }

    /// - Returns: the report, if it has new content or is due.
    mutating func report(_ report: RendererReport, at now: Int64) -> RendererReport? {
        var report = report
        report.lastCommand = lastCommand
        if let last, !isDue(report, since: last, at: now) { return nil }
        last = (report, now)
        return report
    }

    private func isDue(_ report: RendererReport, since last: (report: RendererReport, at: Int64), at now: Int64) -> Bool
    {
        let old = last.report
        if old.rate != report.rate || old.isBuffering != report.isBuffering || old.hasEnded != report.hasEnded
            || old.seekID != report.seekID || old.lastCommand != report.lastCommand
        {
            return true
        }
        let elapsed = now - last.at
        if report.rate > 0, elapsed >= Self.interval { return true }
        let line = PositionAnchor(
            position: old.position,
            rate: old.rate,
            monotonicNanoseconds: last.at,
            requestedRate: old.rate
        )
        return (line.position(at: now) - report.position).microseconds.magnitude > Self.tolerance
    }
}
