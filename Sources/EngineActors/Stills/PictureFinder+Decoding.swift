// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension PictureFinder {
    /// The picture that a run leads to. `nil` when it leads to none that will do.
    func decode(_ run: PictureRun, accepting acceptance: Acceptance) throws(EngineError) -> Found? {
        guard !run.entries.isEmpty, run.key != nil || acceptance != .exact else { return nil }
        defer { decoding.forget() }
        if facts.timing != .shown { return try decodeOrdered(run, acceptance) }
        let last = try decoding.last(
            of: run,
            leavingOut: facts.canLeaveOut,
            acceptsDamage: acceptance == .damaged,
            stopIfCancelled
        )
        guard let (frame, time) = last, time <= run.target || acceptance != .exact else { return nil }
        return found(frame, at: time, next: run.time(after: time), in: run)
    }

    /// Where only decode times are known: every picture of the run is decoded, and then it is known which is shown when.
    private func decodeOrdered(_ run: PictureRun, _ acceptance: Acceptance) throws(EngineError) -> Found? {
        var order: [Int64] = []
        var ring: [(place: Int, frame: VideoFrame)] = []
        try decoding.all(of: run, stopIfCancelled) { frame in
            if frame.isDamaged, acceptance != .damaged { return }
            // What comes out before the random access point refers to what was not decoded.
            if order.isEmpty, let key = run.key, frame.pts != key.time { return }
            ring.append((order.count, frame))
            order.append(frame.pts ?? order.last ?? 0)
            // What was kept longer than this is shown long before the time.
            if ring.count > facts.reorderLimit * 2 + 4 { ring.removeFirst() }
        }
        var shown = ShownSlots.times(of: order, sent: run.entries.map(\.time))
        if facts.timing == .partly {
            let known = Dictionary(run.entries.map { ($0.time, $0.shownTime) }) { first, _ in first }
            shown = ShownSlots.corrected(shown, by: order.map { known[$0] ?? nil })
        }
        guard
            let place = shown.lastIndex(where: { $0 <= run.target })
                ?? (acceptance != .exact && !shown.isEmpty ? 0 : nil),
            let chosen = ring.first(where: { $0.place == place })
        else { return nil }
        return found(chosen.frame, at: shown[place], next: place + 1 < shown.count ? shown[place + 1] : nil, in: run)
    }

    private func found(_ frame: VideoFrame, at time: Int64, next: Int64?, in run: PictureRun) -> Found {
        let length = next.map { $0 &- time } ?? (frame.duration > 0 ? frame.duration : nil)
        return Found(
            frame: frame,
            time: facts.time(time),
            duration: length.map { MediaTime($0, in: facts.stream.timeBase) },
            end: next.map { facts.time($0) } ?? MediaTime(microseconds: .max),
            mapping: facts.dolbyVisionMapping(of: run.packets(upTo: frame.pts ?? time))
        )
    }
}
