// SPDX-License-Identifier: Apache-2.0

internal import CCurl
package import EngineModel
internal import Glibc

/// A GET request and its limits.
package struct HTTPRequest: Sendable {
    package var url: String
    package var headers: [HTTPHeader] = []
    /// A longer body fails the transfer. The limit also applies after decompression.
    package var byteLimit: Int
    package var settings = ConnectionSettings()
    /// The transfer fails if the server sends nothing for this long. Rounded down to whole seconds.
    package var stallTimeout = Duration.seconds(10)
    /// The time limit for the whole transfer.
    package var timeout = Duration.seconds(60)

    package init(url: String, byteLimit: Int) {
        self.url = url
        self.byteLimit = byteLimit
    }
}

/// A server's response, whatever its status.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The redirect target as an absolute URL (`CURLINFO_REDIRECT_URL`).
    package let redirect: String?
}

/// A libcurl handle: consecutive requests share connections and cookies. HTTP and HTTPS only; the caller follows
/// redirects.
@safe package struct HTTPConnection: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let interrupt: InterruptFlag

    /// Runs once per process, before the first handle is made (`curl_global_init`).
    private static let isReady: Bool = {
        clearEnvironment()
        return curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
    }()

    /// Removes the variable with which libcurl would write the keys of TLS connections to a file.
    static func clearEnvironment() { unsafe unsetenv("SSLKEYLOGFILE") }

    static func prepareLibrary() { precondition(isReady, "curl_global_init failed") }

    package init(interrupt: InterruptFlag) {
        Self.prepareLibrary()
        guard let handle = unsafe curl_easy_init() else { preconditionFailure("curl_easy_init: out of memory") }
        unsafe self.handle = handle
        self.interrupt = interrupt
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    /// The state that the callbacks of one transfer use.
    private final class Reception {
        let interrupt: InterruptFlag
        let limit: Int
        var body: [UInt8] = []

        init(limit: Int, interrupt: InterruptFlag) {
            self.limit = limit
            self.interrupt = interrupt
        }

        static func borrowed(from opaque: UnsafeMutableRawPointer?) -> Reception {
            guard let opaque = unsafe opaque else { preconditionFailure("libcurl lost its user data") }
            return unsafe Unmanaged<Reception>.fromOpaque(opaque).takeUnretainedValue()
        }
    }

    /// Sends a request and waits for the whole response (`curl_easy_perform`).
    package mutating func get(_ request: HTTPRequest) throws(CurlError) -> HTTPResponse {
        assertMayBlock("curl_easy_perform")
        let reception = Reception(limit: request.byteLimit, interrupt: interrupt)
        var fields: UnsafeMutablePointer<curl_slist>?
        for header in request.headers {
            // libcurl's syntax for a header without a value is "Name;".
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            unsafe fields = allocated(curl_slist_append(fields, line), by: "curl_slist_append")
        }
        var detail = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let status = unsafe detail.withUnsafeMutableBufferPointer { detail in
            unsafe configure(request, reception, fields, detail.baseAddress)
            return withExtendedLifetime(reception) { unsafe curl_easy_perform(handle) }
        }
        let (code, redirect) = (responseCode, redirectURL)
        // Keeps connections and cookies, and clears every pointer set below.
        unsafe curl_easy_reset(handle)
        unsafe curl_slist_free_all(fields)
        guard status == CURLE_OK else {
            let text = detail.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw CurlError(status, detail: String(decoding: text, as: UTF8.self))
        }
        return HTTPResponse(status: code, body: reception.body, redirect: redirect)
    }

    private func configure(
        _ request: HTTPRequest,
        _ reception: Reception,
        _ fields: UnsafeMutablePointer<curl_slist>?,
        _ detail: UnsafeMutablePointer<CChar>?
    ) {
        let opaque = unsafe Unmanaged.passUnretained(reception).toOpaque()
        unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, detail)
        unsafe ccurl_set_text(handle, CURLOPT_URL, request.url)
        unsafe ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
        // libcurl reports a malformed URL itself.
        let proxy = (try? ResourceURL(request.url)).map { request.settings.proxy.resolved(for: $0) }
        unsafe request.settings.apply(to: handle, through: proxy ?? .none)
        // Accept every encoding that libcurl can decode; the byte limit counts the decoded bytes.
        unsafe ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
        unsafe ccurl_set_text(handle, CURLOPT_COOKIEFILE, "")
        unsafe ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.byteLimit))
        unsafe ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, request.timeout.wholeMilliseconds)
        unsafe ccurl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
        unsafe ccurl_set_long(handle, CURLOPT_LOW_SPEED_TIME, max(1, request.stallTimeout.wholeMilliseconds / 1000))
        unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, opaque)
        unsafe ccurl_set_write(handle) { bytes, size, count, opaque in
            let reception = unsafe Reception.borrowed(from: opaque)
            let length = size * count
            // A short count ends the transfer (`CURLE_WRITE_ERROR`).
            guard length <= reception.limit - reception.body.count else { return 0 }
            unsafe reception.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
            return length
        }
        unsafe ccurl_set_long(handle, CURLOPT_NOPROGRESS, 0)
        unsafe ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, opaque)
        unsafe ccurl_set_progress(handle) { opaque, _, _, _, _ in
            unsafe Reception.borrowed(from: opaque).interrupt.isUp ? 1 : 0
        }
    }

    private var responseCode: Int {
        var code = 0
        unsafe ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
        return code
    }

    private var redirectURL: String? {
        var url: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_text(handle, CURLINFO_REDIRECT_URL, &url)
        return unsafe url.map { unsafe String(cString: $0) }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { max(1, Int(self / .milliseconds(1))) }
}
