// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Decodes packets, starting from a decoder's initial state, to samples of one format.
struct AudioDecoding {
    /// The pieces, in order, for `SamplePlacement`.
    private(set) var pieces: [SamplePlacement.Piece] = []
    /// The samples of each piece; `nil` for a lost packet.
    private(set) var blocks: [SampleBlock?] = []
    /// Packets that could not be decoded, not counting those before the first good one, and packets left out.
    private(set) var brokenPackets = 0
    /// Whether some audio had another rate or layout than the start of the track.
    private(set) var hasChangedFormat = false

    /// - Parameter limit: the number of samples after which packets are left out: no valid audio exceeds its duration
    ///   by so much.
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
                // Failures before the first good packet are normal for a decoder that starts midway.
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

/// Converts frames of any format to one format. The format of every frame is checked anew.
struct FormatConversion: ~Copyable {
    private let output: AudioFormat
    private var input: AudioFormat?
    private var converter: AudioConverter?

    init(to output: AudioFormat) { self.output = output }

    /// Returns `nil` when the frame's format cannot be converted.
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
