// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The sample entries of MP4 that libavformat of FFmpeg 5.1 does not know: `dav1`, AV1 with Dolby Vision. Its boxes are
/// the same as in `av01` (Dolby Vision Streams Within the ISO Base Media File Format, 2.4).
enum UnknownEntries {
    /// `dav1`, as libavformat stores it.
    private static let dav1: UInt32 = 0x3176_6164

    /// Sets the codec of the streams that have such an entry.
    static func setCodecs(in context: UnsafeMutablePointer<AVFormatContext>) {
        for index in unsafe 0..<Int(context.pointee.nb_streams) {
            guard let parameters = unsafe context.pointee.streams[index]?.pointee.codecpar,
                unsafe parameters.pointee.codec_id == AV_CODEC_ID_NONE,
                unsafe parameters.pointee.codec_tag == dav1
            else { continue }
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            unsafe parameters.pointee.codec_id = AV_CODEC_ID_AV1
        }
    }
}
