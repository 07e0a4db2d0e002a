// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Silences the log output of libav*: errors that matter are returned as typed errors.
enum LibraryLog {
    private static let silenced: Void = av_log_set_level(AV_LOG_QUIET)

    /// Idempotent and thread-safe.
    static func quieten() { silenced }
}
