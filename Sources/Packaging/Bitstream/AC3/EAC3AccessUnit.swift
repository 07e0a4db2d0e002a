// SPDX-License-Identifier: Apache-2.0

/// The frames of all substreams in one packet, and the EC3SpecificBox derived from them (ETSI TS 102 366 §F.6).
struct EAC3AccessUnit: Hashable, Sendable {
    private(set) var frames: [EAC3Frame] = []

    private static let frameLimit = 64
    /// 15 full-range channels and one low-frequency channel (ETSI TS 102 366 Annex E).
    private static let channelLimit = 16

    init(_ packet: [UInt8]) throws(PackagingError) {
        var index = 0
        while index < packet.count {
            let bytes = Array(packet[index..<min(packet.count, index + 512)])
            // bsid is at the same position in both formats; values up to 10 mean AC-3.
            let isCore = bytes.count > 5 && bytes[5] >> 3 <= 10
            let frame = isCore ? EAC3Frame(core: try AC3Frame(bytes)) : try EAC3Frame(bytes)
            guard frame.byteCount <= packet.count - index else {
                throw PackagingError(.truncated, "an E-AC-3 frame of \(frame.byteCount) bytes runs past its packet")
            }
            frames.append(frame)
            guard frames.count <= Self.frameLimit else {
                throw PackagingError(.limitExceeded, "more than \(Self.frameLimit) E-AC-3 frames in one packet")
            }
            index += frame.byteCount
        }
        guard let first = frames.first, !first.isDependent, first.substream == 0 else {
            throw PackagingError(.malformed, "an E-AC-3 packet does not start with independent substream 0")
        }
        guard channels <= Self.channelLimit else {
            throw PackagingError(
                .limitExceeded,
                "an E-AC-3 program has \(channels) channels, more than \(Self.channelLimit)"
            )
        }
    }

    var sampleRate: Int { frames[0].sampleRate }

    /// Samples of independent substream 0, over all its frames.
    var sampleCount: Int {
        frames.reduce(0) { $0 + (!$1.isDependent && $1.substream == 0 ? $1.blocks * EAC3Frame.samplesPerBlock : 0) }
    }

    /// The independent substreams, each as its first frame with the channel maps of its dependent substreams.
    private var programs: [(frame: EAC3Frame, dependents: [Int: UInt32])] {
        var programs: [(frame: EAC3Frame, dependents: [Int: UInt32])] = []
        var current = 0
        for frame in frames {
            if frame.isDependent {
                programs[current].dependents[frame.substream] = frame.channelMap ?? 0
            } else if let known = programs.firstIndex(where: { $0.frame.substream == frame.substream }) {
                current = known
            } else {
                current = programs.count
                programs.append((frame, [:]))
            }
        }
        return programs
    }

    /// Output channels of the first program with its dependent substreams.
    var channels: Int {
        let program = programs[0]
        let own = AC3Frame.channelCounts[program.frame.channelMode] + (program.frame.hasLowFrequency ? 1 : 0)
        let added = program.dependents.values.reduce(UInt32(0), |) & Self.additionalChannels
        return own + added.nonzeroBitCount + (added & Self.additionalPairs).nonzeroBitCount
    }

    /// Bits of chanmap for positions that no independent substream has: 5 Lc/Rc, 6 Lrs/Rrs, 7 Cs, 8 Ts, 9 Lsd/Rsd,
    /// 10 Lw/Rw, 11 Lvh/Rvh, 12 Cvh, 13 Lts/Rts, 14 LFE2; bit 0 is the most significant.
    private static let additionalChannels: UInt32 = 0x07FE
    private static let additionalPairs: UInt32 = 0x0674

    /// chan_loc: Lc/Rc in bit 0 to Cvh in bit 7, LFE2 in bit 8 (Table F.6.1).
    private static func locations(_ map: UInt32) -> Int {
        var locations = 0
        for bit in 0..<8 where map >> UInt32(10 - bit) & 1 == 1 { locations |= 1 << bit }
        if map >> 1 & 1 == 1 { locations |= 1 << 8 }
        return locations
    }

    /// The complexity of the first substream that codes objects.
    var objectComplexity: Int? { frames.lazy.compactMap(\.objectComplexity).first }

    /// Kilobits per second over all substreams.
    private var bitRate: Int {
        let bits = frames.reduce(0) { $0 + $1.byteCount } * 8
        return bits * sampleRate / max(1, sampleCount) / 1000
    }

    var specificBox: [UInt8] {
        let programs = programs
        var writer = BoxWriter()
        writer.uint16(UInt16(truncatingIfNeeded: min(bitRate, 0x1FFF) << 3 | (programs.count - 1) & 7))
        for (frame, dependents) in programs {
            let head =
                frame.sampleRateCode << 14 | frame.streamID << 9 | frame.mode << 4 | frame.channelMode << 1
                | (frame.hasLowFrequency ? 1 : 0)
            writer.uint16(UInt16(truncatingIfNeeded: head))
            let map = dependents.values.reduce(UInt32(0), |)
            let tail = dependents.isEmpty ? 0 : (min(dependents.count, 15) << 9 | Self.locations(map))
            if dependents.isEmpty {
                writer.byte(0)
            } else {
                writer.uint16(UInt16(truncatingIfNeeded: tail))
            }
        }
        if let complexity = objectComplexity {
            writer.byte(1)
            writer.byte(UInt8(truncatingIfNeeded: complexity))
        }
        return writer.bytes
    }
}
