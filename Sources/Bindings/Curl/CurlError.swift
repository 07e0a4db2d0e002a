// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// Why a transfer ended without a response (`CURLcode`).
package struct CurlError: Error, Hashable, Sendable {
    package let code: UInt32
    /// libcurl's message for this error (`CURLOPT_ERRORBUFFER`). May be empty.
    package let detail: String

    init(_ code: CURLcode, detail: String) {
        self.code = UInt32(code.rawValue)
        self.detail = detail
    }

    /// The caller has cancelled the transfer.
    package var isInterruption: Bool { code == UInt32(CURLE_ABORTED_BY_CALLBACK.rawValue) }
    package var isTimeout: Bool { code == UInt32(CURLE_OPERATION_TIMEDOUT.rawValue) }
    /// The response exceeds the caller's limit.
    package var isTooLarge: Bool {
        code == UInt32(CURLE_FILESIZE_EXCEEDED.rawValue) || code == UInt32(CURLE_WRITE_ERROR.rawValue)
    }
    /// The URL is malformed. (`CURLE_UNSUPPORTED_PROTOCOL` does not count: it also means a server whose response is not
    /// HTTP.)
    package var isMalformedURL: Bool { code == UInt32(CURLE_URL_MALFORMAT.rawValue) }
}

extension CurlError: CustomStringConvertible {
    package var description: String {
        let usual = unsafe String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
        return "curl_easy_perform: \(detail.isEmpty ? usual : detail) (\(code))"
    }
}
