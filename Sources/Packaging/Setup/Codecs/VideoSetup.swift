// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Turns video streams into tracks: one function for each codec, in a file of its own.
enum VideoSetup {
    static func setup(of evidence: StreamEvidence) throws(PackagingError) -> TrackSetup? {
        let setup: TrackSetup? =
            switch evidence.codec {
            case .h264: try h264(evidence)
            case .hevc: try hevc(evidence)
            case .av1: try av1(evidence)
            case .vp9: try vp9(evidence)
            default: nil
            }
        return setup?.completed(evidence)
    }
}

extension TrackSetup {
    /// The setup completed with the metadata of the first pictures and the resulting video format.
    fileprivate func completed(_ evidence: StreamEvidence) -> TrackSetup {
        guard var video = track.video else { return self }
        var notices = notices
        let messages = VideoMessages(
            codec: track.codec,
            extradata: evidence.extradata,
            packets: evidence.firstPackets,
            transform: transform
        )
        if messages.damagedMessages > 0 {
            let text = "\(messages.damagedMessages) messages in the first pictures are damaged and passed on unchanged"
            notices.append(Notice(.warning, "video.messages_damaged", text))
        }
        if messages.damagedMetadata > 0 {
            let text =
                "Dolby Vision metadata (RPU) of \(messages.damagedMetadata) of the first \(messages.pictures) pictures is "
                + "damaged: bad checksum or invalid fields"
            notices.append(Notice(.warning, "video.rpu_damaged", text))
        }
        if let text = video.settleColor(declared: evidence.video.color, preferred: messages.preferredTransfer) {
            notices.append(Notice(.warning, "video.color_contradiction", text))
        }
        video.complete(from: messages)
        let signal = DolbyVisionSignal(codec: track.codec, video: video, messages: messages)
        notices += signal.notices
        video.dolbyVision = signal.record
        if let record = signal.record, video.color.transfer == 2 {
            let isFullRange = video.color.isFullRange
            video.color = DolbyVisionSignal.color(of: record)
            video.color.isFullRange = isFullRange
        }
        video.sourceVideoFormat = signal.record?.format ?? video.baseFormat
        var track = track
        track.video = video
        return TrackSetup(track: track, transform: transform, reorderDepth: reorderDepth, notices: notices)
    }
}

extension VideoProperties {
    /// Decides between a container and a bitstream that name different dynamic ranges. A bitstream that declares PQ or
    /// HLG takes precedence, because that is rarely set by accident; otherwise the container does, because it may
    /// correct the bitstream.
    ///
    /// - Returns: a description of the contradiction. `nil` if there is none.
    fileprivate mutating func settleColor(declared: ColorDescription, preferred: Int?) -> String? {
        guard declared.transfer != 2, codedColor.transfer != 2 else { return nil }
        let (ours, theirs) = (VideoRange(codedColor), VideoRange(declared))
        guard ours != theirs, !(ours == .sdr && theirs == .hlg && preferred == 18) else { return nil }
        if ours != .sdr { color = codedColor }
        let chosen = ours == .sdr ? "the container's" : "the bitstream's"
        return "the bitstream says \(ours.rawValue), the container \(theirs.rawValue); using \(chosen) value"
    }

    fileprivate mutating func complete(from messages: VideoMessages) {
        masteringDisplay = masteringDisplay ?? messages.masteringDisplay
        contentLight = contentLight ?? messages.contentLight
        hasDynamicMetadata = hasDynamicMetadata || messages.hasDynamicMetadata
        hasClosedCaptions = hasClosedCaptions || messages.hasCaptions
        if hasClosedCaptions { captionChannels = messages.signalledCaptions.sorted() }
        // Some HLG streams name an SDR transfer function for decoders that support no other (ARIB, DVB).
        if messages.preferredTransfer == 18, [1, 2, 6, 14, 15].contains(color.transfer) {
            color.transfer = 18
            if color.primaries == 2 { color.primaries = 9 }
            if color.matrix == 2 { color.matrix = 9 }
        }
    }
}
