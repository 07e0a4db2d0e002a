// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// A container that can be joined from parts, by libavformat's name.
package enum JoinedContainer: String, Sendable {
    case transportStream = "mpegts"
    case programStream = "mpeg"
}

/// A container whose format is known in advance, and what its demuxer may open.
struct KnownFormat {
    /// libavformat's name of the demuxer.
    var name: String
    /// The demuxers that may be used, including this one, separated by commas.
    var formats: String
    var protocols = "none"
    var options: [(name: String, value: String)] = []
}

/// Options of libavformat: how a demuxer treats times, edit lists and encryption.
struct DemuxerOptions {
    /// Which edit lists are applied (`advanced_editlist`).
    var edits = FormatContext.Edits.any
    /// Whether teletext packets keep their own timestamps (`fix_teletext_pts`).
    var keepsTeletextTimes = false
    /// Whether timestamps are returned as stored (`correct_ts_overflow`).
    var keepsWraps = false
    /// Whether the duration is not estimated from the end of the source (`skip_estimate_duration_from_pts`).
    var skipsEnd = false
    /// Decrypts the samples of fMP4 (ISO/IEC 23001-7); 16 bytes.
    var key: [UInt8]?

    func set(in options: inout OpaquePointer?) {
        if edits == .simple { unsafe av_dict_set(&options, "advanced_editlist", "0", 0) }
        if keepsTeletextTimes { unsafe av_dict_set(&options, "fix_teletext_pts", "0", 0) }
        if keepsWraps { unsafe av_dict_set(&options, "correct_ts_overflow", "0", 0) }
        if let key { unsafe av_dict_set(&options, "decryption_key", Hexadecimal.text(key), 0) }
        if skipsEnd { unsafe av_dict_set(&options, "skip_estimate_duration_from_pts", "1", 0) }
    }
}
