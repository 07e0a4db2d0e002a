// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension FrameExtractor {
    /// What is known of the clock of a source that is not loaded.
    enum Clock {
        case unknown
        /// The clock runs evenly: a seek by time finds the picture.
        case even
        /// The clock restarts midway: the source is scanned from the start, as for playback.
        case walked(Scanner)
        /// The scan is complete: its plan puts the whole source on one clock.
        case planned(SegmentPlan)

        var plan: SegmentPlan? { if case .planned(let plan) = self { plan } else { nil } }
    }

    /// Scans a source whose clock restarts. Requests that wait for the scan run it, one step at a time, and it stops
    /// when no request waits.
    ///
    /// - Parameter check: throws when the request is no longer wanted.
    func settleClock(_ check: @Sendable () throws(EngineError) -> Void) async throws(EngineError) {
        waitingForClock += 1
        defer { waitingForClock -= 1 }
        while true {
            switch clock {
            case .even, .planned: return
            case .unknown: clock = try lookAtClock()
            case .walked(let scanner):
                let batch = try await scanner.step()
                if case .walked = clock, batch.plan.isComplete { clock = .planned(batch.plan) }
                try check()
            }
        }
    }

    private func lookAtClock() throws(EngineError) -> Clock {
        guard case .film(let finder) = try open(nil), try finder.hasUnevenClock() else { return .even }
        let examiner = try origin.examiner(interrupt: interruptFlag)
        let source: OpenedSource
        do throws(EngineError) {
            source = try examiner.open(options: LoadOptions()).source
        } catch {
            // Only a playable source has a plan.
            guard error.code == .noPlayableStream else { throw error }
            return .even
        }
        guard source.lead.stream.index == finder.facts.stream.index else { return .even }
        return .walked(Scanner(source: source, target: LoadOptions().segmentTarget))
    }
}
