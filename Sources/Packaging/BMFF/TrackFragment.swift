// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// `tfhd`, `tfdt` and `trun` of one run of samples. Values shared by all samples are written once, as defaults.
struct TrackFragment {
    private let samples: [Sample]
    private let duration: UInt32?
    private let size: UInt32?
    private let flags: UInt32?
    /// Flags of the first sample, if all others share `flags`.
    private let firstFlags: UInt32?
    private let hasOffsets: Bool
    private let hasNegativeOffset: Bool

    init(_ samples: [Sample]) {
        self.samples = samples
        let first = samples.first
        let second = samples.dropFirst().first ?? first
        var sharesDuration = true
        var sharesSize = true
        var sharesFlags = true
        var hasOffsets = false
        var hasNegativeOffset = false
        for (index, sample) in samples.enumerated() {
            sharesDuration = sharesDuration && sample.duration == first?.duration
            sharesSize = sharesSize && sample.payload.byteCount == first?.payload.byteCount
            if index > 0 { sharesFlags = sharesFlags && sample.isSync == second?.isSync }
            hasOffsets = hasOffsets || sample.compositionOffset != 0
            hasNegativeOffset = hasNegativeOffset || sample.compositionOffset < 0
        }
        duration = sharesDuration ? first?.duration : nil
        size = sharesSize ? first.map { UInt32(clamping: $0.payload.byteCount) } : nil
        flags = sharesFlags ? second.map(Self.flags) : nil
        firstFlags = sharesFlags && first?.isSync != second?.isSync ? first.map(Self.flags) : nil
        self.hasOffsets = hasOffsets
        self.hasNegativeOffset = hasNegativeOffset
    }

    /// §8.8.3.1: sample_depends_on is 2 (no) for a sync sample. For any other it is 1 (yes), and
    /// sample_is_non_sync_sample is set.
    private static func flags(_ sample: Sample) -> UInt32 { sample.isSync ? 0x0200_0000 : 0x0101_0000 }

    /// - Returns: the position of `trun`'s data offset, to be filled in later; `nil` if there is no run.
    func write(to writer: inout BoxWriter, emptyAt decodeTime: Int64) -> Int? {
        writeHeader(&writer)
        let start = samples.first?.decodeTime ?? decodeTime
        writer.fullBox("tfdt", version: 1) { $0.uint64(UInt64(clamping: start)) }
        return samples.isEmpty ? nil : writeRun(&writer)
    }

    /// §8.8.7
    private func writeHeader(_ writer: inout BoxWriter) {
        let defaultBaseIsMoof: UInt32 = 0x02_0000
        let durationIsEmpty: UInt32 = 0x01_0000
        var present = defaultBaseIsMoof
        if samples.isEmpty { present |= durationIsEmpty }
        if duration != nil { present |= 0x8 }
        if size != nil { present |= 0x10 }
        if flags != nil { present |= 0x20 }
        writer.fullBox("tfhd", flags: present) { box in
            box.uint32(Track.id)
            for value in [duration, size, flags] {
                if let value { box.uint32(value) }
            }
        }
    }

    /// §8.8.8: version 1 has signed composition offsets.
    private func writeRun(_ writer: inout BoxWriter) -> Int {
        var present: UInt32 = 0x1
        if firstFlags != nil { present |= 0x4 }
        if duration == nil { present |= 0x100 }
        if size == nil { present |= 0x200 }
        if flags == nil { present |= 0x400 }
        if hasOffsets { present |= 0x800 }
        var dataOffsetPosition = 0
        writer.fullBox("trun", version: hasNegativeOffset ? 1 : 0, flags: present) { box in
            box.uint32(UInt32(clamping: samples.count))
            dataOffsetPosition = box.bytes.count
            box.uint32(0)
            if let firstFlags { box.uint32(firstFlags) }
            for sample in samples {
                if duration == nil { box.uint32(sample.duration) }
                if size == nil { box.uint32(UInt32(clamping: sample.payload.byteCount)) }
                if flags == nil { box.uint32(Self.flags(sample)) }
                if hasOffsets { box.uint32(UInt32(bitPattern: sample.compositionOffset)) }
            }
        }
        return dataOffsetPosition
    }
}
