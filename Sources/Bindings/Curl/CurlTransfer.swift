// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import CSystemShims
internal import EngineModel
internal import Glibc

/// One transfer of a `CurlMulti`, with the logic of libcurl's callbacks.
///
/// Not thread-safe: used only by the thread that runs the transfers.
@safe final class CurlTransfer {
    private let handle: CurlEasy
    private let receiver: any TransferReceiver
    /// Whether the request may be sent to a peer.
    private let allows: @Sendable (TransferPeer) -> Bool
    private let byteLimit: Int64
    /// `nil` for an HTTP resource.
    private let file: FileExchange?
    private(set) var byteCount: Int64 = 0
    private(set) var isConnected = false
    private(set) var isPaused = false
    private var loginSockets = LoginSockets()
    private var parser = ResponseHeadParser()
    /// The head of the response, once it was passed to the receiver.
    private var head: TransferHead?
    /// Set by a callback that ends the transfer: libcurl reports only that a callback failed.
    private var endReason: TransferEnd?

    init(
        _ request: TransferRequest,
        id: UInt64,
        receiver: any TransferReceiver,
        cookies: CookieJar,
        allows: @escaping @Sendable (TransferPeer) -> Bool
    ) {
        handle = CurlEasy(request, id: id, cookies: cookies)
        self.receiver = receiver
        self.allows = allows
        byteLimit = request.byteLimit
        file = request.url.scheme.isHTTP ? nil : unsafe FileExchange(request, handle.pointer)
        setCallbacks()
    }

    var isAnswered: Bool { head != nil }

    /// How long the server of a file has been silent during the login, in nanoseconds. `nil` if no login is in
    /// progress.
    var loginSilence: Int64? { isConnected ? nil : loginSockets.silence }

    var hasNewConnection: Bool { handle.number(CURLINFO_NUM_CONNECTS) > 0 }

    var easy: UnsafeMutableRawPointer { unsafe handle.pointer }

    private func setCallbacks() {
        let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
        let easy = unsafe handle.pointer
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
        unsafe ccurl_set_prerequest(easy) { opaque, address, local, port, _ in
            let name = unsafe address.map { unsafe String(cString: $0) } ?? ""
            let localAddress = unsafe local.map { unsafe String(cString: $0) } ?? ""
            let peer = TransferPeer(name, port: Int(port), localAddress: localAddress)
            let isAllowed = unsafe CurlTransfer.borrowed(from: opaque).connected(peer)
            return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        guard file != nil || handle.isProxied else { return }
        // Before libcurl calls the function above, SFTP and FTP servers receive the login, and proxies receive CONNECT.
        unsafe ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, opaque)
        unsafe ccurl_set_opensocket(easy) { opaque, _, address in
            guard let address = unsafe address else { return -1 }
            let (name, port) = unsafe FileExchange.text(of: address)
            guard unsafe CurlTransfer.borrowed(from: opaque).mayOpen(name, port: port) else { return -1 }
            let kind = unsafe address.pointee
            let socket = csystem_socket(kind.family, kind.socktype, kind.protocol)
            unsafe CurlTransfer.borrowed(from: opaque).opened(socket)
            return socket
        }
    }

    /// Prepares the next step of the transfer, if there is one. Call this when libcurl has ended a step.
    ///
    /// - Returns: whether there is a next step. If so, the caller must remove the handle and add it again; if not, the
    ///   transfer has ended.
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
        handle.unpause()
    }
}

/// What the callbacks do, and how the transfer ended. Functions that return a `Bool` return whether the transfer
/// continues.
extension CurlTransfer {
    private func connected(_ peer: TransferPeer) -> Bool {
        isConnected = true
        return handle.isProxied || mayConnect(peer)
    }

    private func opened(_ socket: CInt) {
        if file != nil, !isConnected, socket >= 0 { loginSockets.add(socket) }
    }

    private func mayOpen(_ address: String, port: Int) -> Bool {
        mayConnect(TransferPeer(address, port: port, isProxy: handle.isProxied))
    }

    private func mayConnect(_ peer: TransferPeer) -> Bool {
        if allows(peer) { return true }
        endReason = .refusedAddress(peer.address)
        return false
    }

    private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // FTP servers send control responses, which libcurl reads itself.
        guard file == nil, head == nil else { return true }
        switch parser.take(ResponseHeadParser.text(of: unsafe Array(line)), byteCount: line.count) {
        case .more: return true
        case .complete(let head): return deliver(.http(head))
        case .tooLong:
            endReason = .failed(CurlError(CURLE_WRITE_ERROR, detail: "", finding: .longHead))
            return false
        }
    }

    private func deliver(_ head: TransferHead) -> Bool {
        self.head = head
        if receiver.began(head) { return true }
        endReason = .declined
        return false
    }

    /// - Returns: the result of a `CURLOPT_WRITEFUNCTION`: the size of `whole`, `CURL_WRITEFUNC_PAUSE`, or 0, which
    ///   ends the transfer (`CURLE_WRITE_ERROR`).
    private func takeBody(_ whole: UnsafeRawBufferPointer) -> Int {
        if let file, !file.hasBody { return whole.count }
        if let file, head == nil, !deliver(.file(file.answer(isEmpty: false))) { return 0 }
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

    /// The reason why the transfer ended. If the file was received and is empty, first passes the head to the receiver.
    ///
    /// - Parameter result: libcurl's result.
    func end(_ result: CURLcode) -> TransferEnd {
        guard let file else { return endOfHTTP(result) }
        if let endReason { return endReason }
        guard file.isComplete(result) else { return .failed(file.error(result, handle.errorText)) }
        if head == nil, !deliver(.file(file.answer(isEmpty: true))) { return .declined }
        return .complete
    }

    private func endOfHTTP(_ result: CURLcode) -> TransferEnd {
        if result == CURLE_OK { return .complete }
        if let endReason { return endReason }
        // libcurl accepts header lines of at most 100 KiB. It reports a longer one as a lack of memory or, since
        // version 8.6, as too large.
        if isConnected, head == nil, result == CURLE_OUT_OF_MEMORY || result == .tooLarge {
            return .failed(CurlError(result, detail: "", finding: .longHead))
        }
        let verification = handle.number(CURLINFO_SSL_VERIFYRESULT)
        return .failed(CurlError(result, detail: handle.errorText, verification: verification))
    }

    var facts: TransferFacts {
        var facts = handle.facts
        if case .http(let response) = head { facts.head = response }
        facts.byteCount = byteCount
        return facts
    }
}
