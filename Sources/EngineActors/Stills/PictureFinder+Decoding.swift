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
        let shown = shownTimes(of: order, in: run)
        guard
            let place = shown.lastIndex(where: { $0 <= run.target })
                ?? (acceptance != .exact && !shown.isEmpty ? 0 : nil),
            let chosen = ring.first(where: { $0.place == place })
        else { return nil }
        return found(chosen.frame, at: shown[place], next: place + 1 < shown.count ? shown[place + 1] : nil, in: run)
    }

    /// The random access point of a run, and when it is shown, which only those behind it tell: what is decoded after it may be
    /// shown before.
    ///
    /// - Parameter run: at least up to the next picture that is shown behind it.
    func decodeKey(_ run: PictureRun) throws(EngineError) -> (frame: VideoFrame, time: Int64)? {
        guard let key = run.key else { return nil }
        defer { decoding.forget() }
        var frames: [VideoFrame] = []
        try decoding.all(of: run, stopIfCancelled) { frame in
            if !frames.isEmpty || frame.pts == key.time { frames.append(frame) }
        }
        guard let first = frames.first else { return nil }
        return shownTimes(of: frames.map { $0.pts ?? key.time }, in: run).first.map { (first, $0) }
    }

    /// - Parameter order: when pictures are decoded, in the order in which they come out.
    private func shownTimes(of order: [Int64], in run: PictureRun) -> [Int64] {
        let shown = ShownSlots.times(of: order, sent: run.entries.map(\.time))
        guard case .partly = facts.timing else { return shown }
        let said = Dictionary(run.entries.map { ($0.time, $0.shownTime) }) { first, _ in first }
        let known = order.map { said[$0] ?? nil }
        // Pictures that no other refers to are sure. Of another one libavformat may have taken the time of its neighbour, where
        // its header lies across two parts of the payload.
        let sure = zip(order, known).map { $0 == $1 ? $1 : nil }
        return ShownSlots.corrected(shown, by: sure.contains { $0 != nil } ? sure : known)
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
