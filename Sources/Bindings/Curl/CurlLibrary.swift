// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Glibc

/// The state of libcurl that belongs to the process.
enum CurlLibrary {
    /// Whether libcurl could be initialized (`curl_global_init`). Evaluated once per process.
    private static let isReady: Bool = {
        unsetKeyLog()
        return curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
    }()

    /// Removes the environment variable that makes libcurl write the keys of TLS sessions to a file.
    static func unsetKeyLog() { unsafe unsetenv("SSLKEYLOGFILE") }

    /// Initializes libcurl. Call before the first handle is made.
    static func prepare() { precondition(isReady, "curl_global_init failed") }
}
