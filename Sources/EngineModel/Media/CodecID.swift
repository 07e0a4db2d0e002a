// SPDX-License-Identifier: Apache-2.0

/// A compression format, by libavcodec's name for it.
public struct CodecID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let h264 = CodecID(rawValue: "h264")
    public static let hevc = CodecID(rawValue: "hevc")
    public static let av1 = CodecID(rawValue: "av1")
    public static let vp9 = CodecID(rawValue: "vp9")
    public static let aac = CodecID(rawValue: "aac")
    public static let ac3 = CodecID(rawValue: "ac3")
    public static let eac3 = CodecID(rawValue: "eac3")
    public static let flac = CodecID(rawValue: "flac")
    public static let alac = CodecID(rawValue: "alac")
    public static let opus = CodecID(rawValue: "opus")
    public static let mp3 = CodecID(rawValue: "mp3")
    public static let mp2 = CodecID(rawValue: "mp2")
    public static let aacLATM = CodecID(rawValue: "aac_latm")
    public static let truehd = CodecID(rawValue: "truehd")
    public static let mlp = CodecID(rawValue: "mlp")
    public static let dts = CodecID(rawValue: "dts")
    public static let vorbis = CodecID(rawValue: "vorbis")
    public static let mpeg4 = CodecID(rawValue: "mpeg4")
}
