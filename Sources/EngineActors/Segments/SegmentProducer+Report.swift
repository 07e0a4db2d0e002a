// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging
internal import Reading

extension SegmentProducer {
    /// The work that a producer has done since it was created.
    package struct Report: Hashable, Sendable {
        package var segmentsProduced: UInt64 = 0
        package var segmentsEvicted: UInt64 = 0
        package var cachedBytes: UInt64 = 0
        package var bytesProduced: UInt64 = 0
        package var droppedPackets = 0
        /// The number of requests for segments that were already in memory.
        package var cacheHits: UInt64 = 0
        /// How long segments took to make, without packing.
        package var makingNanoseconds: Int64 = 0
        /// The duration of the media in those segments.
        package var madeMicroseconds: Int64 = 0
        /// How long decoding and re-encoding audio took.
        package var decodeNanoseconds: Int64 = 0
        /// Whether any pictures carry dynamic metadata (HDR10+).
        package var hasDynamicMetadata = false
        /// The caption channels in the pictures, as INSTREAM-ID values.
        package var captionChannels: Set<String> = []
        /// The number of pictures whose Dolby Vision metadata is damaged or missing.
        package var picturesWithoutMetadata = 0
        /// The number of packets of bridged audio that were skipped, or could not be decoded.
        package var brokenAudioPackets = 0
        /// The number of bridged segments without audio although the source has packets there.
        package var silentSegments = 0
        /// The number of bridged segments in which the sample rate or layout differs from the start of the track.
        package var changedFormats = 0
        /// The number of bridged segments whose audio could not be changed as the load asked.
        package var untreatedSegments = 0
        /// How long decoding and encoding video took.
        package var videoNanoseconds: Int64 = 0
        /// The number of frames of bridged video that could not be decoded, so that another is shown instead.
        package var repeatedFrames = 0
        /// The number of audio packets that were left out because their format is not that of the track at their place
        /// in the source.
        package var unknownAudioPackets = 0
        /// Notices about audio that continues in another format.
        package var notices: [Notice] = []
    }
}

extension SegmentProducer.Report {
    mutating func add(_ bridged: BridgedTracks) {
        decodeNanoseconds += bridged.nanoseconds
        videoNanoseconds += bridged.videoNanoseconds
        repeatedFrames += bridged.video.values.reduce(0) { $0 + $1.repeatedFrames }
        for audio in bridged.audio.values {
            brokenAudioPackets += audio.brokenPackets
            unknownAudioPackets += audio.unknownPackets
            if audio.isSilent { silentSegments += 1 }
            if audio.hasChangedFormat { changedFormats += 1 }
            if audio.isUntreated { untreatedSegments += 1 }
        }
    }

    mutating func add(_ built: SegmentMuxer.Built) {
        segmentsProduced += UInt64(built.bodies.count)
        bytesProduced += UInt64(built.bodies.values.reduce(0) { $0 + $1.byteCount })
        droppedPackets += built.droppedPackets
        unknownAudioPackets += built.unknownAudioPackets
        hasDynamicMetadata = hasDynamicMetadata || built.hasDynamicMetadata
        captionChannels.formUnion(built.captionChannels)
        picturesWithoutMetadata += built.picturesWithoutMetadata
    }

    /// - Parameter nanoseconds: how long the segment took to make, without packing.
    mutating func add(segment index: Int, of plan: SegmentPlan, nanoseconds: Int64) {
        makingNanoseconds += nanoseconds
        guard let end = plan.endTime(of: index),
            let begin = index == 0 ? plan.boundaries.first?.time : plan.endTime(of: index - 1)
        else { return }
        // Damaged sources may state times that are centuries apart.
        let (sum, overflows) = madeMicroseconds.addingReportingOverflow(
            max(0, plan.timeBase.microseconds(end &- begin))
        )
        madeMicroseconds = overflows ? .max : sum
    }
}
