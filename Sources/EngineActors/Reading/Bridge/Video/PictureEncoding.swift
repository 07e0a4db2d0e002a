// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Filters and encodes the frames of one segment, one for each of its times.
struct PictureEncoding: ~Copyable {
    private var slots: PictureSlots
    private let plan: VideoBridgePlan
    private var deinterlacer: Deinterlacer
    private var conversion: FrameConversion
    private var burning: PictureBurning
    private var encoder: VideoEncoder
    /// The frame before the segment, with which the deinterlacer detects motion in the first frame.
    private var earlier: VideoFrame?
    private var hasBegun = false
    private var last: VideoFrame?
    /// The number of frames that were given to the encoder.
    private var count = 0
    /// By slot: how many of the times directly before it have no frame of their own.
    private var gaps: [Int: Int] = [:]
    private var result = BridgedVideo()
    /// The decoder's buffer after the encoded pictures.
    private(set) var buffer: DecoderBuffer

    /// A time that no slot has, for the frame before the segment.
    private static let before: Int64 = -1

    /// The number of encoded pictures.
    var pictureCount: Int { result.pictures.count }

    /// - Parameters:
    ///   - control: the rate control, instead of the plan's.
    ///   - subtitles: the pictures to draw into the frames, on the session's timeline.
    init(
        _ slots: PictureSlots,
        _ plan: VideoBridgePlan,
        _ control: VideoEncoder.RateControl,
        subtitles: [DrawnPicture]
    ) throws(FFmpegError) {
        self.slots = slots
        self.plan = plan
        burning = PictureBurning(subtitles, plan)
        var settings = plan.encoder
        settings.rateControl = control
        buffer = DecoderBuffer(
            size: control.bufferSize,
            bitRate: control.maximumBitRate,
            timescale: settings.frames.timescale
        )
        encoder = try VideoEncoder.open(settings)
        deinterlacer = Deinterlacer(rate: .frame, threads: 1)
        conversion = FrameConversion(to: plan.conversion)
    }

    /// Takes the next decoded frame in presentation order.
    ///
    /// - Parameter packet: the position of its packet in the segment; negative for a packet before the segment.
    mutating func add(_ frame: VideoFrame, ofPacket packet: Int) throws(FFmpegError) {
        guard packet >= 0 else {
            earlier = frame
            return
        }
        // A first frame whose references are missing is garbage. Damage in later frames is concealed by the decoder.
        if frame.isDamaged, !hasBegun { return }
        guard let slot = slots.slot(ofPacket: packet) else { return }
        if !hasBegun, let earlier, frame.isInterlaced, earlier.isInterlaced, earlier.shape == frame.shape {
            try encode(deinterlacer.add(earlier, at: Self.before))
        }
        hasBegun = true
        earlier = nil
        // Slots are assigned before deinterlacing, which changes neither the order nor the number of frames.
        let missing = slots.fill(slot)
        if missing > 0 { gaps[slot] = missing }
        try encode(deinterlacer.add(frame, at: Int64(slot)))
    }

    private mutating func encode(_ frames: [Deinterlacer.Timed]) throws(FFmpegError) {
        for (frame, slot) in frames where slot >= 0 {
            let converted = try conversion.convert(frame)
            if let missing = gaps.removeValue(forKey: Int(slot)) {
                // There is no frame before the first one, so the first one is shown early.
                try show(last ?? converted, times: missing)
                result.repeatedFrames += missing
            }
            try show(converted, times: 1)
            last = converted
        }
    }

    private mutating func show(_ frame: VideoFrame, times: Int) throws(FFmpegError) {
        for _ in 0..<times where count < slots.times.count {
            let time = slots.times[count]
            let drawn = try burning.apply(to: frame, at: MediaTime(time, in: plan.timeBase))
            try keep(encoder.encode(drawn, at: time - slots.times[0]))
            count += 1
        }
    }

    private mutating func keep(_ packets: [Packet]) throws(FFmpegError) {
        for packet in packets {
            buffer.take(bits: packet.byteCount * 8, at: packet.dts ?? packet.pts ?? 0)
            result.pictures.append(.init(packet: packet, time: slots.times[0] + (packet.pts ?? 0)))
        }
    }

    /// Encodes what is left, and returns the segment, and the decoder's buffer after it.
    ///
    /// - Throws: an error whose `isInterruption` is true if `isStopped` has returned true.
    consuming func finish(
        unless isStopped: () -> Bool
    ) throws(FFmpegError) -> (video: BridgedVideo, buffer: DecoderBuffer) {
        try encode(deinterlacer.finish())
        let missing = slots.times.count - count
        if missing > 0 {
            let black = VideoFrame.blank(width: plan.conversion.width, height: plan.conversion.height, pts: nil)
            let converted = if let last { last } else { try conversion.convert(black) }
            try show(converted, times: missing)
            result.repeatedFrames += missing
        }
        try keep(encoder.finish(unless: isStopped))
        return (result, buffer)
    }
}
