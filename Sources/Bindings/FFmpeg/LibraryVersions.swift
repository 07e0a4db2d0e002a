// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The versions of FFmpeg's libraries that the process has loaded, for logs.
package enum LibraryVersions {
    /// Such as `libavcodec 59.37.100, libavformat 59.27.100` (`avcodec_version`).
    package static var text: String {
        [("libavcodec", avcodec_version()), ("libavformat", avformat_version()), ("libavfilter", avfilter_version())]
            .map { "\($0) \($1 >> 16).\($1 >> 8 & 255).\($1 & 255)" }.joined(separator: ", ")
    }
}
