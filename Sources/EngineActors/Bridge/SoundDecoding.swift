// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Decodes packets from a decoder's initial state to samples of one format.
struct SoundDecoding {
    /// The pieces, in order, for `SamplePlacement`.
    private(set) var pieces: [SamplePlacement.Piece] = []
    /// The samples of each piece; `nil` for a lost packet.
    private(set) var blocks: [SampleBlock?] = []
    /// Packets behind the first good one that could not be decoded.
    private(set) var brokenPackets = 0
    /// Whether sound came in another rate or layout than the track began with.
    private(set) var hasChangedFormat = false

    /// - Parameter limit: samples beyond which packets are left out: no sound is so much longer than it lasts.
    /// - Throws: when no decoder can be opened at all.
    init(_ packets: [BridgePacket], _ plan: BridgePlan, atMost limit: Int) throws(FFmpegError) {
        var decoder = try AudioDecoder.open(plan.parameters)
        var converter = FormatConversion(to: plan.canvas)
        var failures = 0
        var count = 0
        var hasSound = false
        for packet in packets {
            guard count <= limit else {
                brokenPackets += 1
                continue
            }
            var frames: [AudioDecoder.Frame] = []
            do throws(FFmpegError) {
                frames = try decoder.decode(packet.packet)
            } catch {
                pieces.append(.lost)
                blocks.append(nil)
                failures += 1
                continue
            }
            count += frames.reduce(0) { $0 + $1.block.count }
            if !frames.isEmpty {
                // Failures before the first good packet are those of a decoder that enters midway.
                if hasSound { brokenPackets += failures }
                failures = 0
                hasSound = true
            }
            add(frames, at: packet.time, plan.source, &converter)
        }
        if hasSound { brokenPackets += failures }
    }

    private mutating func add(
        _ frames: [AudioDecoder.Frame],
        at time: Int64?,
        _ source: AudioFormat,
        _ converter: inout FormatConversion
    ) {
        for (number, frame) in frames.enumerated() {
            if frame.format.rate != source.rate || frame.format.layout != source.layout { hasChangedFormat = true }
            guard let block = converter.convert(frame) else {
                pieces.append(.lost)
                blocks.append(nil)
                continue
            }
            pieces.append(.samples(time: number == 0 ? time : nil, count: block.count))
            blocks.append(block)
        }
    }
}

/// Brings frames of whatever format to one. What a frame is, is asked of every frame anew.
struct FormatConversion: ~Copyable {
    private let output: AudioFormat
    private var input: AudioFormat?
    private var converter: AudioConverter?

    init(to output: AudioFormat) { self.output = output }

    /// `nil` when there is no way from the frame's format to the other.
    mutating func convert(_ frame: AudioDecoder.Frame) -> SampleBlock? {
        var format = frame.format
        let choice = ChannelPlan.choose(for: format.layout.mask, among: [output.layout.mask], atMost: 64)
        format.layout = ChannelLayout(mask: choice.source)
        if format == output { return frame.block }
        do throws(FFmpegError) {
            if input != format {
                converter = try AudioConverter.open(from: format, to: output)
                input = format
            }
            return try converter?.convert(frame.block)
        } catch {
            return nil
        }
    }
}
