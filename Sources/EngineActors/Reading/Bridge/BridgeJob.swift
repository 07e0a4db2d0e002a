// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Makes one segment of a bridged track: packets in, frames out. Pure: the same packets and positions give the same
/// bytes.
package struct BridgeJob: Sendable {
    /// In file order: the packets in the plan's `packetWindow`. The first segment also has all packets before it, and
    /// the last segment all packets after it.
    let packets: [BridgePacket]
    /// The start of the first frame, in samples at the encoder's rate.
    let start: Int64
    /// The end of the frames, in samples at the encoder's rate: the start of the next segment, or a time after the
    /// known parts if the segment is still arriving. `nil` for the last segment.
    let end: Int64?
    /// Whether the track continues past `end`.
    let isContinued: Bool
    /// The end of the track, in samples at the encoder's rate, if known.
    let trackEnd: Int64?

    /// The formats of the packets (`Packet.format`).
    package var formats: Set<Int> { Set(packets.map(\.packet.format)) }

    /// Frames are made in pieces of about this length, so that memory is bounded however long a segment is.
    private static let pieceSeconds: Int64 = 6
    /// A segment counts as silent if it has at least this many packets and none of them yields audio.
    private static let silentPackets = 64

    /// The maximum number of pieces in a segment.
    private static let pieceLimit = 4096

    /// - Parameter memory: is used for the decoded samples of each piece, and holds the memory of the last one afterwards.
    func run(_ plan: BridgePlan, in memory: inout SampleRun.Memory) throws(FFmpegError) -> BridgedAudio {
        var audio = BridgedAudio()
        var decoded = 0
        let pieceLength =
            max(1, Self.pieceSeconds * Int64(plan.encoding.format.rate) / plan.frameLength) * plan.frameLength
        let starts = pieceStarts(plan, every: pieceLength)
        for pieceStart in starts {
            let pieceEnd = min(pieceStart + pieceLength, end ?? .max)
            // Pauses are filled with silence, but no frames are made after the last audio of the track.
            let isWhole = pieceStart != starts.last || isContinued && end != nil
            let piece = try piece(plan, from: pieceStart, to: pieceEnd, isWhole: isWhole, in: &memory)
            decoded += piece.decodedBlocks
            audio.brokenPackets += piece.audio.brokenPackets
            audio.unknownPackets += piece.audio.unknownPackets
            audio.hasChangedFormat = audio.hasChangedFormat || piece.audio.hasChangedFormat
            audio.isUntreated = audio.isUntreated || piece.audio.isUntreated
            audio.frames += piece.audio.frames
        }
        let own = packets.count(where: { plan.input(ofFormat: $0.packet.format) != nil })
        audio.isSilent = decoded == 0 && own >= Self.silentPackets
        return audio
    }

    /// The starts of the pieces that contain packets. No piece is made that would lie entirely within a long pause.
    private func pieceStarts(_ plan: BridgePlan, every length: Int64) -> [Int64] {
        let base = plan.placement.timeBase
        var starts: Set<Int64> = []
        for packet in packets {
            guard let time = packet.time, let own = plan.input(ofFormat: packet.packet.format) else { continue }
            let place = BridgePlan.bounded(base.rescale(time &- plan.placement.origin, to: plan.outputBase))
            let last = place + plan.outputSamples(ofTicks: own.input.packetTicks)
            for number in max(0, (place - start) / length)...max(0, (last - start) / length) {
                let piece = start + number * length
                if piece < end ?? .max, starts.count < Self.pieceLimit { starts.insert(piece) }
            }
        }
        return starts.sorted()
    }

    /// Packets that follow each other and have one format, with the bridge that decodes them.
    private struct Section {
        let plan: BridgePlan
        var packets: [BridgePacket]
    }

    /// The packets that the frames between two positions need, in sections of one format. A packet without a time
    /// counts as having the time of the packet before it. Packets that the bridge does not decode are left out.
    ///
    /// - Parameter unknown: is increased by the number of those packets whose format is unknown. A bridge that was
    ///   opened for one part of a source decodes only that part: packets of known formats belong to other segments.
    private func sections(_ plan: BridgePlan, from start: Int64, to end: Int64, unknown: inout Int) -> [Section] {
        var sections: [Section] = []
        var time = Int64.min
        for packet in packets {
            time = packet.time ?? time
            guard let input = plan.input(ofFormat: packet.packet.format) else {
                let isUnknown = packet.packet.format == Packet.unknownFormat
                if isUnknown, plan.packetWindow(from: start, to: end).contains(time) { unknown += 1 }
                continue
            }
            guard input.packetWindow(from: start, to: end).contains(time) else { continue }
            if sections.last?.plan.format == input.format {
                sections[sections.count - 1].packets.append(packet)
            } else {
                sections.append(Section(plan: input, packets: [packet]))
            }
        }
        return sections.isEmpty ? [Section(plan: plan, packets: [])] : sections
    }

    private func piece(
        _ plan: BridgePlan,
        from start: Int64,
        to end: Int64,
        isWhole: Bool,
        in memory: inout SampleRun.Memory
    ) throws(FFmpegError) -> (audio: BridgedAudio, decodedBlocks: Int) {
        var audio = BridgedAudio()
        var used = SampleRun.Memory()
        defer { memory = used }
        var count = 0
        var layers: [BridgeSamples.Layer] = []
        var dataEnd = start
        let sections = sections(plan, from: start, to: end, unknown: &audio.unknownPackets)
        for (number, section) in sections.enumerated() {
            let (own, packets) = (section.plan, section.packets)
            var canvas = SampleCanvas(format: own.canvas, range: own.canvasRange(from: start, to: end))
            let isLast = number + 1 == sections.count
            let decoding = try AudioDecoding(
                packets,
                own,
                expected: canvas.range.count,
                capacity: own.sampleCount(from: start, to: end),
                in: &memory
            ) { decoded in
                isWhole || !isLast ? decoded : own.heardSamples(ofLast: packets.last, decoded: decoded, end: trackEnd)
            }
            used = decoding.run.memory
            audio.brokenPackets += decoding.brokenPackets
            audio.hasChangedFormat = audio.hasChangedFormat || decoding.hasChangedFormat || own.differs(from: plan)
            count += lay(decoding, own, on: &canvas)
            dataEnd = max(
                dataEnd,
                canvas.dataEnd.map { own.outputSamples($0) } ?? start,
                lostEnd(of: packets, decoding, own)
            )
            layers.append(.init(canvas: canvas, plan: own))
        }
        guard layers.contains(where: \.canvas.hasData) || isWhole else { return (audio, count) }
        let last = isWhole ? end : min(end, dataEnd)
        if last > start {
            let samples = try BridgeSamples(layers, plan.encoding.format)
            audio.isUntreated = samples.isUntreated
            audio.frames = try frames(of: samples, plan, from: start, to: last)
        }
        return (audio, count)
    }

    /// Places decoded samples on a canvas.
    ///
    /// - Returns: the number of blocks that were placed.
    private func lay(_ decoding: AudioDecoding, _ plan: BridgePlan, on canvas: inout SampleCanvas) -> Int {
        let positions = plan.placement.positions(of: decoding.pieces)
        var count = 0
        let run = decoding.run.block
        // Pieces of the run that follow each other are placed as one, so that the canvas need not join them.
        var joined: (part: Range<Int>, position: Int64)?
        func layJoined() {
            if let joined { canvas.lay(run, joined.part, at: joined.position) }
            joined = nil
        }
        for (samples, position) in zip(decoding.samples, positions) {
            guard let samples, let position else { continue }
            count += 1
            switch samples {
            case .inRun(let part):
                if let last = joined, last.part.upperBound == part.lowerBound,
                    last.position + Int64(last.part.count) == position
                {
                    joined?.part = last.part.lowerBound..<part.upperBound
                } else {
                    layJoined()
                    joined = (part, position)
                }
            case .apart(let block, let part):
                layJoined()
                canvas.lay(block, part, at: position)
            }
        }
        layJoined()
        return count
    }

    /// The end that the audio of the last packet would have had, if that packet could not be decoded: silence replaces
    /// it like any other lost packet. Otherwise `.min`.
    private func lostEnd(of packets: [BridgePacket], _ decoding: AudioDecoding, _ plan: BridgePlan) -> Int64 {
        guard case .lost = decoding.pieces.last, let time = packets.last?.time else { return .min }
        let base = plan.placement.timeBase
        let place = BridgePlan.bounded(base.rescale(time &- plan.placement.origin, to: plan.outputBase))
        return place + plan.outputSamples(ofTicks: plan.input.packetTicks)
    }

    private func frames(
        of samples: BridgeSamples,
        _ plan: BridgePlan,
        from start: Int64,
        to end: Int64
    ) throws(FFmpegError) -> [BridgedAudio.Frame] {
        let count = Int((end - start + plan.frameLength - 1) / plan.frameLength)
        let leading = Int(plan.encoding.leadingFrames)
        var encoder = try AudioEncoder.open(plan.encoding.settings)
        var packets: [Packet] = []
        var fed = 0
        let inputStart = plan.inputStart(for: start)
        while packets.count < leading + count, fed < leading + count + 2 {
            let position = inputStart + Int64(fed) * plan.frameLength
            // The last frame of a lossless codec is as short as the remaining audio.
            let length = plan.isLossless ? min(plan.frameLength, end - position) : plan.frameLength
            guard length > 0 else { break }
            packets += try encoder.encode(
                Int(length),
                of: samples.block,
                in: samples.part,
                from: samples.part.lowerBound + Int(position - samples.start)
            )
            fed += 1
        }
        if packets.count < leading + count { packets += try encoder.encode(nil) }
        return try packets.dropFirst(leading).prefix(count).enumerated().map { number, packet throws(FFmpegError) in
            let time = start + Int64(number) * plan.frameLength
            return BridgedAudio.Frame(
                payload: plan.encoding.settings.codec == .flac
                    ? renumbered(packet, (time - plan.firstSample) / plan.frameLength) : packet,
                time: time,
                duration: plan.isLossless ? min(plan.frameLength, end - time) : plan.frameLength
            )
        }
    }

    /// A FLAC frame states its position in the track, not in the segment.
    private func renumbered(_ packet: Packet, _ number: Int64) -> any ByteRegion {
        let bytes = packet.withBytes { FLACFrame.renumbered($0, to: UInt64(clamping: number)) }
        return bytes.map { ArrayRegion($0) } ?? packet
    }
}
