// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Decodes packets, starting from a decoder's initial state, to samples of one format.
struct AudioDecoding {
    /// The pieces, in order, for `SamplePlacement`.
    private(set) var pieces: [SamplePlacement.Piece] = []
    /// The place of a piece's samples: in the run, or in a block of their own.
    enum Samples: Sendable {
        case inRun(Range<Int>)
        /// In a separate block, because they had to be converted.
        case apart(SampleBlock, Range<Int>)

        fileprivate var count: Int {
            switch self {
            case .inRun(let part), .apart(_, let part): part.count
            }
        }

        fileprivate func prefix(_ count: Int) -> Samples {
            switch self {
            case .inRun(let part): .inRun(part.prefix(count))
            case .apart(let block, let part): .apart(block, part.prefix(count))
            }
        }
    }

    /// The samples of each piece; `nil` for a lost one.
    private(set) var samples: [Samples?] = []
    /// The samples that needed no conversion.
    private(set) var run: SampleRun
    /// The number of packets that were skipped (`excess`), or could not be decoded although an earlier one could.
    private(set) var brokenPackets = 0
    /// Whether some audio had another rate or layout than the start of the track.
    private(set) var hasChangedFormat = false

    /// Once decoding has yielded this many times the expected samples, the remaining packets are skipped: no valid audio
    /// exceeds its duration by so much.
    private static let excess = 4

    /// - Parameters:
    ///   - expected: the approximate number of samples that are wanted from the packets.
    ///   - capacity: the approximate number of samples in the packets.
    ///   - memory: is used for the run, and is empty afterwards.
    ///   - last: returns the number of samples of the last packet that are heard, given the number decoded from it.
    /// - Throws: when no decoder can be opened at all.
    init(
        _ packets: [BridgePacket],
        _ plan: BridgePlan,
        expected: Int,
        capacity: Int,
        in memory: inout SampleRun.Memory,
        heardOfLast last: (Int) -> Int
    ) throws(FFmpegError) {
        var decoder = try AudioDecoder.open(plan.input.parameters)
        var converter = FormatConversion(to: plan.canvas)
        let limit = Self.excess * expected
        run = SampleRun(format: plan.canvas, capacity: min(capacity, limit), in: &memory)
        var fitting: AudioFormat?
        var failures = 0
        var count = 0
        var hasAudio = false
        for (number, packet) in packets.enumerated() {
            guard count <= limit else {
                brokenPackets += 1
                continue
            }
            var frames: [AudioDecoder.Decoded] = []
            do throws(FFmpegError) {
                frames = try decoder.decode(packet.packet, to: &run) { format in
                    if format == fitting { return true }
                    guard converter.keeps(format) else { return false }
                    fitting = format
                    return true
                }
            } catch {
                pieces.append(.lost)
                samples.append(nil)
                failures += 1
                continue
            }
            let added = frames.reduce(0) { $0 + $1.count }
            count += added
            if !frames.isEmpty {
                // Failures before the first good packet are normal for a decoder that starts midway.
                if hasAudio { brokenPackets += failures }
                failures = 0
                hasAudio = true
            }
            let heard = number == packets.count - 1 ? last(added) : added
            add(frames, at: packet.time, silencing: added - heard, plan.input.format, &converter)
        }
        if hasAudio { brokenPackets += failures }
    }

    /// - Parameter padding: how many samples at the end of the frames are not heard, at the rate of the frames.
    private mutating func add(
        _ frames: [AudioDecoder.Decoded],
        at time: Int64?,
        silencing padding: Int,
        _ source: AudioFormat,
        _ converter: inout FormatConversion
    ) {
        var rest = frames.reduce(0) { $0 + $1.count } - padding
        for (number, frame) in frames.enumerated() where rest > 0 {
            let format = frame.format
            if format.rate != source.rate || format.layout != source.layout { hasChangedFormat = true }
            let heard = min(frame.count, rest)
            rest -= heard
            guard var part = Self.samples(of: frame, &converter) else {
                pieces.append(.lost)
                samples.append(nil)
                continue
            }
            // The conversion may have changed the rate.
            if heard < frame.count { part = part.prefix(part.count * heard / frame.count) }
            pieces.append(.samples(time: number == 0 ? time : nil, count: part.count))
            samples.append(part)
        }
    }

    private static func samples(of frame: AudioDecoder.Decoded, _ converter: inout FormatConversion) -> Samples? {
        switch frame {
        case .appended(let part, _): .inRun(part)
        case .apart(let frame): converter.convert(frame).map { .apart($0, 0..<$0.count) }
        }
    }
}

extension AudioDecoder.Decoded {
    fileprivate var count: Int {
        switch self {
        case .appended(let part, _): part.count
        case .apart(let frame): frame.block.count
        }
    }

    fileprivate var format: AudioFormat {
        switch self {
        case .appended(_, let format): format
        case .apart(let frame): frame.format
        }
    }
}

/// Converts frames, each of which may have another format, to one format.
struct FormatConversion: ~Copyable {
    private let output: AudioFormat
    private var input: AudioFormat?
    private var converter: AudioConverter?

    init(to output: AudioFormat) { self.output = output }

    /// Whether frames of this format remain as they are.
    func keeps(_ format: AudioFormat) -> Bool { read(format) == output }

    /// The format, with the channel layout that the conversion assumes for it.
    private func read(_ format: AudioFormat) -> AudioFormat {
        var format = format
        let choice = ChannelPlan.choose(for: format.layout.mask, among: [output.layout.mask], atMost: 64)
        format.layout = ChannelLayout(mask: choice.source)
        return format
    }

    /// Returns `nil` when the frame's format cannot be converted.
    mutating func convert(_ frame: AudioDecoder.Frame) -> SampleBlock? {
        let format = read(frame.format)
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
