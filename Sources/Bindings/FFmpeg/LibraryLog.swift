// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// libav*'s own log lines go nowhere: what matters comes back as a typed error.
enum LibraryLog {
    private static let silenced: Void = av_log_set_level(AV_LOG_QUIET)

    /// Idempotent and thread-safe.
    static func quieten() { silenced }
}
