// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import CSystemShims
internal import EngineModel
internal import Glibc

/// One transfer of a `CurlMulti`: libcurl's easy handle and the state that its callbacks use.
///
/// Not thread-safe: used only by the thread that runs the transfers.
@safe final class CurlTransfer {
    /// Limits of a response head.
    private static let fieldLimit = 256
    private static let headByteLimit = 64 << 10
    /// The size of libcurl's receive buffer, and the largest piece passed to a receiver.
    private static let pieceByteCount = 128 << 10

    let easy: UnsafeMutableRawPointer
    private let id: UInt64
    private let receiver: any TransferReceiver
    private let allows: @Sendable (String, Int) -> Bool
    private let isProxied: Bool
    private let byteLimit: Int64
    private let cookies: CookieJar
    private let fields: UnsafeMutablePointer<curl_slist>?
    private let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private(set) var byteCount: Int64 = 0
    private(set) var isConnected = false
    private(set) var isPaused = false
    /// Set by a callback that ends the transfer: libcurl reports only that a callback failed.
    private var endReason: TransferEnd?
    private var head = Head.expected
    /// `nil` for a resource of HTTP.
    private let file: FileExchange?

    /// The head of an HTTP response, once it was delivered.
    var response: ResponseHead? {
        if case .delivered(.http(let head)) = head { head } else { nil }
    }

    private enum Head {
        case expected
        case coming(status: Int, fields: [ResponseHead.Field], byteCount: Int)
        case delivered(TransferHead)
    }

    init(
        _ request: TransferRequest,
        id: UInt64,
        receiver: any TransferReceiver,
        cookies: CookieJar,
        allows: @escaping @Sendable (String, Int) -> Bool
    ) {
        guard let easy = unsafe curl_easy_init() else { fatalError("curl_easy_init: out of memory") }
        unsafe self.easy = easy
        self.id = id
        self.receiver = receiver
        self.allows = allows
        self.cookies = cookies
        isProxied = request.settings.proxy != .none
        byteLimit = request.byteLimit
        unsafe fields = Self.list(of: request)
        unsafe detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        file = request.url.scheme.isHTTP ? nil : unsafe FileExchange(request, easy)
        if file == nil { set(request) }
        unsafe ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_long(easy, CURLOPT_BUFFERSIZE, Self.pieceByteCount)
        unsafe ccurl_set_long(easy, CURLOPT_NETRC, 0)
        unsafe request.settings.apply(to: easy)
        if file == nil { set(request.credentials ?? request.url.credentials) }
        unsafe cookies.attach(easy)
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(fields)
        unsafe detail.deallocate()
    }

    private static func list(of request: TransferRequest) -> UnsafeMutablePointer<curl_slist>? {
        // libcurl's syntax for a header without a value is "Name;".
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if let range = request.range.field {
            lines.append("Range: \(range)")
            if let validator = request.validator { lines.append("If-Range: \(validator)") }
        }
        if request.encoding == .identity { lines.append("Accept-Encoding: identity") }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { unsafe list = allocated(curl_slist_append(list, line), by: "curl_slist_append") }
        return unsafe list
    }

    /// Sets the options of a request of HTTP.
    private func set(_ request: TransferRequest) {
        unsafe ccurl_set_text(easy, CURLOPT_URL, request.url.text)
        unsafe ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        unsafe ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, fields)
        let version = request.protocols == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        unsafe ccurl_set_long(easy, CURLOPT_HTTP_VERSION, version)
        switch request.encoding {
        case .identity: unsafe ccurl_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        case .decoded: unsafe ccurl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "")
        }
        unsafe ccurl_set_text(easy, CURLOPT_COOKIEFILE, "")
    }

    private func set(_ credentials: HTTPCredentials?) {
        switch credentials {
        case .basic(let user, let password):
            unsafe ccurl_set_long(easy, CURLOPT_HTTPAUTH, ccurl_auth_basic)
            unsafe ccurl_set_text(easy, CURLOPT_USERNAME, user)
            unsafe ccurl_set_text(easy, CURLOPT_PASSWORD, password)
        case .bearer(let token):
            unsafe ccurl_set_long(easy, CURLOPT_HTTPAUTH, ccurl_auth_bearer)
            unsafe ccurl_set_text(easy, CURLOPT_XOAUTH2_BEARER, token)
        case nil: break
        }
    }

    private func setCallbacks() {
        let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(easy, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(id)))
        unsafe ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, detail)
        unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, opaque)
        unsafe ccurl_set_header(easy) { bytes, size, count, opaque in
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe CurlTransfer.borrowed(from: opaque).takeLine(line) ? size * count : 0
        }
        unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, opaque)
        unsafe ccurl_set_write(easy) { bytes, size, count, opaque in
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe CurlTransfer.borrowed(from: opaque).takeBody(piece)
        }
        unsafe ccurl_set_pointer(easy, CURLOPT_PREREQDATA, opaque)
        unsafe ccurl_set_prerequest(easy) { opaque, address, _, port, _ in
            let name = unsafe address.map { unsafe String(cString: $0) } ?? ""
            let isAllowed = unsafe CurlTransfer.borrowed(from: opaque).connected(name, Int(port))
            return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        guard file != nil else { return }
        // Before the call above, servers of files have received the login already.
        unsafe ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, opaque)
        unsafe ccurl_set_opensocket(easy) { opaque, _, address in
            guard let address = unsafe address else { return -1 }
            let (name, port) = unsafe FileExchange.text(of: address)
            guard unsafe CurlTransfer.borrowed(from: opaque).mayConnect(name, port) else { return -1 }
            let kind = unsafe address.pointee
            return csystem_socket(kind.family, kind.socktype, kind.protocol)
        }
    }

    /// Begins the next step of a transfer, after libcurl has ended one. The handle must be added once more.
    ///
    /// - Returns: `false` if the transfer has ended.
    func continues(after result: CURLcode) -> Bool {
        endReason == nil && file?.continues(after: result, received: byteCount) ?? false
    }

    private static func borrowed(from opaque: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let opaque = unsafe opaque else { preconditionFailure("libcurl lost its user data") }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(opaque).takeUnretainedValue()
    }

    /// Continues receiving after a pause (`curl_easy_pause`). May call the receiver at once.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        // If this fails, libcurl ends the transfer and reports that itself.
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// The id of the transfer that owns this handle (`CURLINFO_PRIVATE`).
    static func id(of easy: UnsafeMutableRawPointer) -> UInt64 {
        var text: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_text(easy, CURLINFO_PRIVATE, &text)
        return UInt64(UInt(bitPattern: text))
    }
}

/// The callbacks. Those that return a `Bool` say whether the transfer continues.
extension CurlTransfer {
    private func connected(_ address: String, _ port: Int) -> Bool {
        isConnected = true
        return mayConnect(address, port)
    }

    private func mayConnect(_ address: String, _ port: Int) -> Bool {
        if isProxied || allows(address, port) { return true }
        endReason = .refusedAddress(address)
        return false
    }

    /// Parses one line of the head. Informational (1xx) heads and trailers are dropped.
    private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // Servers of FTP have control responses, which libcurl reads itself.
        guard file == nil else { return true }
        if case .delivered = head { return true }
        let text = unsafe String(decoding: line, as: UTF8.self).trimmed
        if text.isEmpty { return deliverHead() }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            head = .coming(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, fields: [], byteCount: 0)
            return true
        }
        guard case .coming(let status, var fields, var byteCount) = head else { return true }
        byteCount += line.count
        guard byteCount <= Self.headByteLimit, fields.count < Self.fieldLimit else {
            endReason = .tooLong
            return false
        }
        if let colon = text.firstIndex(of: ":") {
            fields.append(ResponseHead.Field(text[..<colon].trimmed, text[text.index(after: colon)...].trimmed))
        }
        head = .coming(status: status, fields: fields, byteCount: byteCount)
        return true
    }

    private func deliverHead() -> Bool {
        guard case .coming(let status, let fields, _) = head, !(100..<200).contains(status) else { return true }
        return deliver(.http(ResponseHead(status: status, fields: fields)))
    }

    private func deliver(_ response: TransferHead) -> Bool {
        head = .delivered(response)
        if receiver.began(response) { return true }
        endReason = .declined
        return false
    }

    /// - Returns: the result of a `CURLOPT_WRITEFUNCTION`: the size of `piece`, `CURL_WRITEFUNC_PAUSE`, or 0, which
    ///   ends the transfer (`CURLE_WRITE_ERROR`).
    private func takeBody(_ whole: UnsafeRawBufferPointer) -> Int {
        if let file, case .expected = head, !deliver(.file(file.answer(isEmpty: false))) { return 0 }
        let wanted = min(Int64(whole.count), file?.wanted(after: byteCount) ?? .max)
        let piece = unsafe UnsafeRawBufferPointer(rebasing: whole.prefix(Int(wanted)))
        guard Int64(piece.count) <= byteLimit - byteCount else {
            endReason = .tooLong
            return 0
        }
        guard receiver.hasRoom() else {
            // libcurl keeps these bytes.
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        byteCount += Int64(piece.count)
        guard receiver.received(unsafe piece.bytes) else {
            endReason = .declined
            return 0
        }
        guard let file, file.isSatisfied(by: byteCount) else { return whole.count }
        endReason = .complete
        return 0
    }

    /// Why the transfer ended.
    ///
    /// - Parameter result: libcurl's result.
    func end(_ result: CURLcode) -> TransferEnd {
        guard let file else { return endOfHTTP(result) }
        if let endReason { return endReason }
        guard file.isComplete(result) else { return .failed(file.error(result, unsafe String(cString: detail))) }
        if case .expected = head, !deliver(.file(file.answer(isEmpty: true))) { return .declined }
        return .complete
    }

    private func endOfHTTP(_ result: CURLcode) -> TransferEnd {
        if result == CURLE_OK { return .complete }
        if let endReason { return endReason }
        let text = unsafe String(cString: detail)
        return .failed(CurlError(result, detail: text, verification: number(CURLINFO_SSL_VERIFYRESULT)))
    }

    var facts: TransferFacts {
        var facts = TransferFacts()
        var address: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_text(easy, CURLINFO_PRIMARY_IP, &address)
        facts.head = response
        facts.byteCount = byteCount
        facts.address = unsafe address.map { unsafe String(cString: $0) } ?? ""
        facts.isNewConnection = number(CURLINFO_NUM_CONNECTS) > 0
        let sent = time(CURLINFO_PRETRANSFER_TIME_T)
        facts.connectTime = facts.isNewConnection ? sent : .zero
        facts.timeToFirstByte = max(.zero, time(CURLINFO_STARTTRANSFER_TIME_T) - sent)
        facts.totalTime = time(CURLINFO_TOTAL_TIME_T)
        return facts
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe ccurl_get_long(easy, info, &value)
        return value
    }

    private func time(_ info: CURLINFO) -> Duration {
        var value: curl_off_t = 0
        unsafe ccurl_get_offset(easy, info, &value)
        return .microseconds(value)
    }
}

extension StringProtocol {
    /// Without leading and trailing spaces, tabs and line ends (RFC 9110 §5.6.3).
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in [" ", "\t", "\r", "\n", "\r\n"].contains(character) }
        var rest = Substring(self).drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
