// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Shows how much has been read on stderr: on a terminal as one line redrawn in place, otherwise as at most one line
/// per second.
struct ReadingProgress {
    private static let interval: Int64 = 1_000_000_000

    private let isTerminal: Bool
    private var shown: Int?
    private var due = monotonicNanoseconds() + Self.interval

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// - Parameter fraction: 0 … 1.
    mutating func show(_ fraction: Double) {
        let percent = Int((min(max(fraction, 0), 1) * 100).rounded(.down))
        guard percent != shown else { return }
        if isTerminal {
            Terminal.showStatus("reading \(percent) %")
        } else {
            let now = monotonicNanoseconds()
            guard now >= due else { return }
            due = now + Self.interval
            Terminal.writeError("enginectl: reading \(percent) %")
        }
        shown = percent
    }

    mutating func end() {
        Terminal.endStatus()
        shown = nil
    }
}
