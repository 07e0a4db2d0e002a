// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

// Cues that are on screen for longer than reading looks back.
extension SubtitleDecoder {
    /// How far before a moment to look for cues that are still on screen, apart from those known to be long.
    func usualLength(of tracks: [SubtitleTrack]) -> MediaTime {
        tracks.map(CueDecoderCatalog.usualLength(of:)).max() ?? .zero
    }

    func areSpansKnown(_ tracks: [SubtitleTrack], before unit: Int) -> Bool {
        guard unit > 0 else { return true }
        return spans.map { spans in tracks.allSatisfy { spans.isKnown($0, before: unit, units) } } ?? false
    }

    /// Advances the search by one step.
    func stepSpans() throws(EngineError) {
        if let spans {
            try spans.step()
        } else {
            spans = try SubtitleSpans(source, try anyReader().reader.reader, interrupt: interruptFlag)
        }
    }

    /// Finds the long cues of tracks that start before a unit. Playback goes first.
    ///
    /// - Parameter patience: in nanoseconds.
    /// - Returns: whether all are known.
    func findSpans(_ tracks: [SubtitleTrack], before unit: Int, patience: Int64) async throws(EngineError) -> Bool {
        let deadline = monotonicNanoseconds() + patience
        while !areSpansKnown(tracks, before: unit) {
            guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the session was stopped") }
            guard monotonicNanoseconds() < deadline else { return false }
            await giveWay()
            try stepSpans()
            await Task.yield()
        }
        return true
    }

    /// The units before `unit` in which a long cue starts that may be on screen at `time`, in order.
    func longUnits(of tracks: [SubtitleTrack], onAt time: MediaTime, before unit: Int) -> [Int] {
        guard unit > 0, let spans else { return [] }
        return Set(tracks.flatMap { spans.units(of: $0, onAt: time, before: unit, units) }).sorted()
    }
}
