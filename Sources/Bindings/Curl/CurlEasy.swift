// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import EngineModel

/// libcurl's easy handle, with the memory to which its options refer.
///
/// Not thread-safe: used only by the thread that runs the transfers.
@safe final class CurlEasy {
    /// The size of libcurl's receive buffer, and the largest piece passed to a receiver.
    private static let pieceByteCount = 128 << 10

    /// The body of a PROPFIND for the types of resources (RFC 4918 §14.20).
    private static let typesOfMembers = """
        <?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>
        """

    let pointer: UnsafeMutableRawPointer
    /// Whether the request goes through a proxy.
    let isProxied: Bool
    private let fields: UnsafeMutablePointer<curl_slist>?
    private let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let cookies: CookieJar

    /// Sets the options that follow from a request, except the callbacks and the options for files on SFTP and FTP
    /// servers.
    ///
    /// - Parameter id: see `id(of:)`.
    init(_ request: TransferRequest, id: UInt64, cookies: CookieJar) {
        guard let pointer = unsafe curl_easy_init() else { fatalError("curl_easy_init: out of memory") }
        unsafe self.pointer = pointer
        self.cookies = cookies
        let proxy = request.settings.proxy.resolved(for: request.url)
        isProxied = proxy != .none
        unsafe fields = Self.list(of: request)
        unsafe detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        if request.url.scheme.isHTTP {
            set(request)
            set(request.credentials ?? request.url.credentials)
        }
        unsafe ccurl_set_long(pointer, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, Self.pieceByteCount)
        unsafe ccurl_set_long(pointer, CURLOPT_NETRC, 0)
        // Ending a transfer must not wait for its resolver thread, which may block for half a minute. The thread then
        // frees its own memory.
        unsafe ccurl_set_long(pointer, CURLOPT_QUICK_EXIT, 1)
        // If an IPv6 address does not answer for this long, IPv4 is tried too: the recommended minimum of RFC 8305 §5.
        unsafe ccurl_set_long(pointer, CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 100)
        unsafe request.settings.apply(to: pointer, through: proxy)
        unsafe cookies.attach(pointer)
        unsafe ccurl_set_pointer(pointer, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(id)))
        unsafe ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, detail)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(fields)
        unsafe detail.deallocate()
    }

    private static func list(of request: TransferRequest) -> UnsafeMutablePointer<curl_slist>? {
        // libcurl's syntax for a header without a value is "Name;".
        var lines = request.headers.filter { !$0.isCookie }.map {
            $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
        }
        if let range = request.range.field {
            lines.append("Range: \(range)")
            if let validator = request.validator { lines.append("If-Range: \(validator)") }
        }
        if request.encoding == .identity { lines.append("Accept-Encoding: identity") }
        if request.isListing { lines += ["Depth: 1", "Content-Type: application/xml; charset=utf-8"] }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { unsafe list = allocated(curl_slist_append(list, line), by: "curl_slist_append") }
        return unsafe list
    }

    /// Sets the options of an HTTP request.
    private func set(_ request: TransferRequest) {
        unsafe ccurl_set_text(pointer, CURLOPT_URL, request.url.text)
        unsafe ccurl_set_text(pointer, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_long(pointer, CURLOPT_FOLLOWLOCATION, 0)
        unsafe ccurl_set_pointer(pointer, CURLOPT_HTTPHEADER, fields)
        let version = request.protocols == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        unsafe ccurl_set_long(pointer, CURLOPT_HTTP_VERSION, version)
        switch request.encoding {
        case .identity: unsafe ccurl_set_long(pointer, CURLOPT_HTTP_CONTENT_DECODING, 0)
        case .decoded: unsafe ccurl_set_text(pointer, CURLOPT_ACCEPT_ENCODING, "")
        }
        unsafe ccurl_set_text(pointer, CURLOPT_COOKIEFILE, "")
        // libcurl sends the request's own cookies in one field with the cookies of the jar: more than one field is not
        // allowed (RFC 6265 §5.4).
        let own = request.headers.filter(\.isCookie).map(\.value).filter { !$0.isEmpty }
        if !own.isEmpty { unsafe ccurl_set_text(pointer, CURLOPT_COOKIE, own.joined(separator: "; ")) }
        guard request.isListing else { return }
        unsafe ccurl_set_text(pointer, CURLOPT_COPYPOSTFIELDS, Self.typesOfMembers)
        unsafe ccurl_set_text(pointer, CURLOPT_CUSTOMREQUEST, "PROPFIND")
    }

    private func set(_ credentials: HTTPCredentials?) {
        switch credentials {
        case .basic(let user, let password):
            unsafe ccurl_set_long(pointer, CURLOPT_HTTPAUTH, ccurl_auth_basic)
            unsafe ccurl_set_text(pointer, CURLOPT_USERNAME, user)
            unsafe ccurl_set_text(pointer, CURLOPT_PASSWORD, password)
        case .bearer(let token):
            unsafe ccurl_set_long(pointer, CURLOPT_HTTPAUTH, ccurl_auth_bearer)
            unsafe ccurl_set_text(pointer, CURLOPT_XOAUTH2_BEARER, token)
        case nil: break
        }
    }

    /// Continues receiving after a pause (`curl_easy_pause`). May call the callbacks at once.
    func unpause() {
        // If this fails, libcurl ends the transfer and reports that itself.
        unsafe curl_easy_pause(pointer, CURLPAUSE_CONT)
    }

    /// The id with which a handle was made (`CURLINFO_PRIVATE`).
    static func id(of easy: UnsafeMutableRawPointer) -> UInt64 {
        var text: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_text(easy, CURLINFO_PRIVATE, &text)
        return UInt64(UInt(bitPattern: text))
    }

    /// libcurl's message for its latest error.
    var errorText: String { unsafe String(cString: detail) }

    /// libcurl's counts and measurements.
    var facts: TransferFacts {
        var facts = TransferFacts()
        var address: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_text(pointer, CURLINFO_PRIMARY_IP, &address)
        facts.address = unsafe address.map { unsafe String(cString: $0) } ?? ""
        facts.isNewConnection = number(CURLINFO_NUM_CONNECTS) > 0
        let sent = time(CURLINFO_PRETRANSFER_TIME_T)
        facts.connectTime = facts.isNewConnection ? sent : .zero
        facts.timeToFirstByte = max(.zero, time(CURLINFO_STARTTRANSFER_TIME_T) - sent)
        facts.totalTime = time(CURLINFO_TOTAL_TIME_T)
        return facts
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe ccurl_get_long(pointer, info, &value)
        return value
    }

    private func time(_ info: CURLINFO) -> Duration {
        var value: curl_off_t = 0
        unsafe ccurl_get_offset(pointer, info, &value)
        return .microseconds(value)
    }
}

extension HTTPHeader {
    fileprivate var isCookie: Bool { name.lowercased() == "cookie" }
}
