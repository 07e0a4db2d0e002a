// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension VideoFrame {
    /// Pixel formats that imply full range.
    var isJPEGFormat: Bool {
        [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P]
            .contains(format)
    }

    /// Whether samples are RGB values, or indices of RGB colours.
    var hasRGBCodes: Bool {
        let flags = unsafe av_pix_fmt_desc_get(format)?.pointee.flags ?? 0
        return flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }
}
