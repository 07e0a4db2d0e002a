// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension PictureFinder {
    /// The picture that a run leads to. `nil` when the run begins too late for it.
    ///
    /// - Parameter keepsAny: take what there is: the run began at the start of the source.
    func decode(_ run: PictureRun, keepsAny: Bool) throws(EngineError) -> Found? {
        guard run.key != nil || keepsAny else { return nil }
        guard !run.entries.isEmpty else { return nil }
        defer { decoding.forget() }
        if facts.timing != .shown { return try decodeOrdered(run, keepsAny: keepsAny) }
        var frame = try decoding.last(of: run, leavingOut: facts.canLeaveOut, showsDamage: false, stopIfCancelled)
        if frame == nil, keepsAny {
            decoding.forget()
            frame = try decoding.last(of: run, leavingOut: false, showsDamage: true, stopIfCancelled)
        }
        guard let frame, let time = frame.pts else { return nil }
        guard time <= run.target || keepsAny else { return nil }
        let next = run.time(after: time)
        return found(frame, at: time, next: next, in: run)
    }

    /// Where only decode times are known: every picture of the run is decoded, and then it is known which is shown when.
    private func decodeOrdered(_ run: PictureRun, keepsAny: Bool) throws(EngineError) -> Found? {
        var order: [Int64] = []
        var ring: [(place: Int, frame: VideoFrame)] = []
        try decoding.all(of: run, stopIfCancelled) { frame in
            ring.append((order.count, frame))
            order.append(frame.pts ?? order.last ?? 0)
            // What was kept longer than this is shown long before the time.
            if ring.count > facts.reorderLimit * 2 + 4 { ring.removeFirst() }
        }
        let shown = ShownSlots.times(of: order, sent: run.entries.map(\.time))
        guard let place = shown.lastIndex(where: { $0 <= run.target }) ?? (keepsAny && !shown.isEmpty ? 0 : nil),
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
