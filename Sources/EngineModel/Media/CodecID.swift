// SPDX-License-Identifier: Apache-2.0

/// A compression format, by libavcodec's name for it.
package struct CodecID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let h264 = CodecID(rawValue: "h264")
    package static let hevc = CodecID(rawValue: "hevc")
    package static let av1 = CodecID(rawValue: "av1")
    package static let vp9 = CodecID(rawValue: "vp9")
    package static let aac = CodecID(rawValue: "aac")
    package static let ac3 = CodecID(rawValue: "ac3")
    package static let eac3 = CodecID(rawValue: "eac3")
    package static let flac = CodecID(rawValue: "flac")
    package static let alac = CodecID(rawValue: "alac")
    package static let opus = CodecID(rawValue: "opus")
    package static let mp3 = CodecID(rawValue: "mp3")
    package static let mp2 = CodecID(rawValue: "mp2")
    package static let aacLATM = CodecID(rawValue: "aac_latm")
    package static let truehd = CodecID(rawValue: "truehd")
    package static let mlp = CodecID(rawValue: "mlp")
    package static let dts = CodecID(rawValue: "dts")
    package static let vorbis = CodecID(rawValue: "vorbis")
    package static let mpeg4 = CodecID(rawValue: "mpeg4")
}
