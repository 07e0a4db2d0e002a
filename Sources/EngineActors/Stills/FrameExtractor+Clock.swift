// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension FrameExtractor {
    /// What is known of the clock of a source that is not loaded.
    enum Clock {
        case unknown
        /// Times lead to pictures.
        case even
        /// It starts again midway: the source is walked through, as for playback.
        case walked(Scanner)
        /// Where everything is on one clock.
        case planned(SegmentPlan)

        var plan: SegmentPlan? { if case .planned(let plan) = self { plan } else { nil } }
    }

    /// Finds out where things are in a source whose clock starts again. Who waits for that does the work, a step at a time: it
    /// ends when nobody waits any more.
    ///
    /// - Parameter check: throws when the request is not wanted any more.
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
        let reader = try origin.reader(interrupt: interruptFlag)
        let source: OpenedSource
        do throws(EngineError) {
            source = try reader.open(options: LoadOptions()).0
        } catch {
            // Only what can be played has a plan.
            guard error.code == .noPlayableStream else { throw error }
            return .even
        }
        guard source.lead.stream.index == finder.facts.stream.index else { return .even }
        return .walked(Scanner(source: source, target: LoadOptions().segmentTarget))
    }
}
