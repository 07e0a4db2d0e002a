// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Packaging

/// One segment of a bridged video track: the packets to decode, and those before them that they may depend on.
package struct VideoBridgeJob: Sendable {
    /// From the last keyframe before the segment up to the segment, in decoding order.
    private let leadIn: [Packet]
    /// The packets of the segment in decoding order, with their times in ticks of the track.
    private let packets: [BridgePacket]
    /// Drawn into the frames, on the session's timeline.
    package var subtitles: [DrawnPicture] = []

    package init(leadIn: [Packet], packets: [BridgePacket]) {
        self.leadIn = leadIn
        self.packets = packets
    }

    /// When the segment's frames are shown, on the session's timeline. `nil` if it has none.
    package func range(by plan: VideoBridgePlan) -> MediaTimeRange? {
        let times = packets.compactMap(\.time).map { MediaTime($0, in: plan.timeBase) }
        guard let start = times.min(), let end = times.max() else { return nil }
        return MediaTimeRange(start: start, end: end + plan.frameDuration)
    }

    /// Decodes and encodes the segment. The result depends only on the packets, the subtitles and the plan.
    ///
    /// - Throws: an error whose `isInterruption` is true if `isStopped` has returned true.
    func run(_ plan: VideoBridgePlan, unless isStopped: () -> Bool) throws(FFmpegError) -> BridgedVideo {
        let times = packets.map { timed -> Int64? in
            // Pictures that an edit list hides are decoded, because others need them, and not encoded.
            if plan.statesTimes, timed.packet.isDiscarded { return nil }
            return plan.input.hasHiddenPictures && !timed.packet.withBytes { VP8Frame.isShown($0) } ? nil : timed.time
        }
        let slots = PictureSlots(of: times, statesTimes: plan.statesTimes)
        guard !slots.times.isEmpty else { return BridgedVideo() }
        let budget = PictureBudget(plan, times: slots.times)
        var control = plan.encoder.rateControl
        while true {
            switch try encoded(slots, plan, control, within: budget, unless: isStopped) {
            case .complete(let video): return video
            case .tooLarge(let next): control = next
            }
        }
    }

    private enum Attempt {
        case complete(BridgedVideo)
        /// With the rate control of the next attempt.
        case tooLarge(VideoEncoder.RateControl)
    }

    /// Encodes the segment with one rate control.
    private func encoded(
        _ slots: PictureSlots,
        _ plan: VideoBridgePlan,
        _ control: VideoEncoder.RateControl,
        within budget: PictureBudget?,
        unless isStopped: () -> Bool
    ) throws(FFmpegError) -> Attempt {
        let isLed = !plan.statesTimes || plan.input.isInterlaced || slots.hasLeadingPictures
        var decoder = try VideoDecoder.open(plan.input.parameters, threading: .frames, threads: plan.decodingThreads)
        var encoding = try PictureEncoding(slots, plan, control, subtitles: subtitles)
        if let primer = plan.input.primer { try decoder.send(primer.tagged(Self.primerTag)) }
        // Each packet passes through the decoder with its position in the segment as its time. Positions in the lead-in are
        // negative.
        let led = isLed ? leadIn : []
        let count = slots.times.count
        for (position, packet) in (led.map { $0 } + packets.map(\.packet)).enumerated() {
            if isStopped() { throw FFmpegError.interruption }
            let tag = Int64(position - led.count)
            do throws(FFmpegError) {
                try decoder.send(packet.tagged(tag))
            } catch {
                // A packet that cannot be decoded yields no frame; later ones may.
            }
            try take(from: &decoder, &encoding, plan)
            let (done, buffer) = (encoding.pictureCount, encoding.buffer)
            if let next = control.next(after: buffer, done: done, of: count, within: budget) { return .tooLarge(next) }
        }
        try decoder.drain()
        try take(from: &decoder, &encoding, plan)
        let (video, buffer) = try encoding.finish(unless: isStopped)
        if let next = control.next(after: buffer, done: count, of: count, within: budget) { return .tooLarge(next) }
        return .complete(video)
    }

    /// Marks the primer: no packet has this position.
    private static let primerTag = Int64.min / 2

    private func take(
        from decoder: inout VideoDecoder,
        _ encoding: inout PictureEncoding,
        _ plan: VideoBridgePlan
    ) throws(FFmpegError) {
        // A frame thread may report the failure of each of its packets here.
        var failures = 0
        while failures <= plan.decodingThreads {
            let received: VideoDecoder.Received
            do throws(FFmpegError) {
                received = try decoder.receive()
            } catch {
                failures += 1
                continue
            }
            guard case .frame(let frame) = received else { return }
            guard let tag = frame.pts, tag != Self.primerTag else { continue }
            try encoding.add(frame, ofPacket: Int(tag))
        }
    }
}
