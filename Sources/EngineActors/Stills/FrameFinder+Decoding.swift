// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

extension FrameFinder {
    /// Decodes a run and returns its target frame. `nil` when no frame of the run is acceptable.
    func decode(_ run: PictureRun, accepting acceptance: Acceptance) throws(EngineError) -> Found? {
        guard !run.entries.isEmpty, run.key != nil || acceptance != .exact else { return nil }
        defer { decoding.forget() }
        if facts.timing != .shown { return try decodeOrdered(run, acceptance) }
        let last = try decoding.last(
            of: run,
            leavingOut: facts(of: run.entries.first?.packet).canLeaveOut,
            acceptsDamage: acceptance == .damaged,
            stopIfCancelled
        )
        guard let (frame, time) = last, time <= run.target || acceptance != .exact else { return nil }
        return found(frame, at: time, next: run.time(after: time), in: run)
    }

    /// For sources with decode times only: decodes every frame of the run, then derives when each is shown.
    private func decodeOrdered(_ run: PictureRun, _ acceptance: Acceptance) throws(EngineError) -> Found? {
        var order: [Int64] = []
        var ring: [(place: Int, frame: VideoFrame)] = []
        try decoding.all(of: run, stopIfCancelled) { frame in
            if frame.isDamaged, acceptance != .damaged { return }
            // Frames before the random access point refer to frames that were not decoded.
            if order.isEmpty, let key = run.key, frame.pts != key.time { return }
            ring.append((order.count, frame))
            order.append(frame.pts ?? order.last ?? 0)
            // A frame that leaves the ring is shown long before the target.
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

    /// Decodes the random access point of a run and derives when it is shown. That time depends on the frames after
    /// it, because frames decoded later may be shown earlier.
    ///
    /// - Parameter run: must extend at least to the next frame shown after the random access point.
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

    /// - Parameter order: the decode times of the frames, in output order.
    private func shownTimes(of order: [Int64], in run: PictureRun) -> [Int64] {
        let shown = PresentationTimes.times(of: order, sent: run.entries.map(\.time))
        guard case .partly = facts.timing else { return shown }
        let stated = Dictionary(run.entries.map { ($0.time, $0.shownTime) }) { first, _ in first }
        let known = order.map { stated[$0] ?? nil }
        // The times of pictures that no other picture refers to are reliable. For other pictures, libavformat may have
        // used the time of a neighbour if the picture's header is split across two payloads.
        let sure = zip(order, known).map { $0 == $1 ? $1 : nil }
        return PresentationTimes.corrected(shown, by: sure.contains { $0 != nil } ? sure : known)
    }

    private func found(_ frame: VideoFrame, at time: Int64, next: Int64?, in run: PictureRun) -> Found {
        let length = next.map { $0 &- time } ?? (frame.duration > 0 ? frame.duration : nil)
        let packets = run.packets(upTo: frame.pts ?? time)
        let own = facts(of: packets.last ?? run.entries.first?.packet)
        return Found(
            frame: frame,
            time: facts.time(time),
            duration: length.map { MediaTime($0, in: facts.stream.timeBase) },
            end: next.map { facts.time($0) } ?? MediaTime(microseconds: .max),
            video: own.video,
            mapping: own.dolbyVisionMapping(of: packets)
        )
    }
}
