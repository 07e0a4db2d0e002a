// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Digests
internal import EngineModel
internal import Glibc

/// The part of a transfer that is specific to files on SFTP and FTP servers: the options for libcurl, and the
/// interpretation of its results.
///
/// SFTP: libcurl reports only the length of the requested range. If the length of the file is unknown, the transfer
/// begins with a step without a body, which finds it; both steps use one connection. After a request with a range, the
/// connection stays open.
///
/// FTP: the server sends everything from an offset on, and libcurl closes the connection of a transfer that ends early.
///
/// Not thread-safe: used only by the thread that runs the transfers.
@safe final class FileExchange {
    private enum Step {
        /// Requests the length and the modification time of the file.
        case examination
        case body
        /// Checks whether the file, which cannot be read, is a folder.
        case folder
    }

    private let easy: UnsafeMutableRawPointer
    private let request: TransferRequest
    private var step: Step
    private var byteCount: Int64?
    private var modified: Int64?
    private var finding: CurlFinding?
    /// The keys of the server, for libssh2.
    private var known: MemoryFile?

    /// Sets the options of an easy handle for the first step.
    init(_ request: TransferRequest, _ easy: UnsafeMutableRawPointer) {
        self.request = request
        unsafe self.easy = easy
        byteCount = request.fileByteCount
        let isUnknown = request.url.scheme == .sftp && byteCount == nil && !request.isListing
        step = request.isExamination || isUnknown ? .examination : .body
        unsafe ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "sftp,ftp,ftps")
        unsafe ccurl_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
        // Sends the whole path at once, instead of changing to each folder in turn. A folder is entered before it is
        // listed: some servers prefix each name with the folder that NLST names.
        let method = request.isListing ? CURLFTPMETHOD_SINGLECWD : CURLFTPMETHOD_NOCWD
        unsafe ccurl_set_long(easy, CURLOPT_FTP_FILEMETHOD, Int(method.rawValue))
        unsafe ccurl_set_long(easy, CURLOPT_DIRLISTONLY, request.isListing ? 1 : 0)
        if request.url.scheme == .ftpes {
            unsafe ccurl_set_long(easy, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        }
        setLogin(request.credentials ?? request.url.credentials)
        setHostKeyCheck()
        begin()
    }

    private func setLogin(_ credentials: HTTPCredentials?) {
        let shell = request.settings.secureShell
        var (user, password) = ("", "")
        if case .basic(let name, let secret) = credentials { (user, password) = (name, secret) }
        if request.url.scheme == .sftp, user.isEmpty { user = shell.user ?? "" }
        // Without a name, libcurl logs in to FTP servers as "anonymous".
        if !user.isEmpty || request.url.scheme == .sftp {
            unsafe ccurl_set_text(easy, CURLOPT_USERNAME, user)
            unsafe ccurl_set_text(easy, CURLOPT_PASSWORD, password)
        }
        guard request.url.scheme == .sftp else { return }
        // An empty password is not sent, because servers delay the reply to a wrong password.
        unsafe ccurl_set_long(easy, CURLOPT_SSH_AUTH_TYPES, password.isEmpty ? ccurl_ssh_keys : ccurl_ssh_password)
        let key = shell.identities.first { unsafe access($0, R_OK) == 0 }
        // Without a path, libcurl looks for key files of its own choice.
        unsafe ccurl_set_text(easy, CURLOPT_SSH_PRIVATE_KEYFILE, key ?? "")
    }

    private func setHostKeyCheck() {
        guard request.url.scheme == .sftp else { return }
        known = knownKeys()
        unsafe ccurl_set_text(easy, CURLOPT_SSH_KNOWNHOSTS, known?.descriptorPath ?? "/dev/null")
        unsafe ccurl_set_pointer(easy, CURLOPT_SSH_KEYDATA, Unmanaged.passUnretained(self).toOpaque())
        unsafe ccurl_set_hostkey(easy) { _, _, found, match, opaque in
            guard match != CURLKHMATCH_OK else { return CInt(CURLKHSTAT_FINE.rawValue) }
            guard let opaque = unsafe opaque else { preconditionFailure("libcurl lost its user data") }
            let exchange = unsafe Unmanaged<FileExchange>.fromOpaque(opaque).takeUnretainedValue()
            let key = unsafe found.map { found in
                unsafe [UInt8](UnsafeRawBufferPointer(start: found.pointee.key, count: found.pointee.len))
            }
            exchange.refuse(key ?? [], isChanged: match == CURLKHMATCH_MISMATCH)
            return CInt(CURLKHSTAT_REJECT.rawValue)
        }
    }

    /// The known keys of the server. `nil` if the file cannot be read: then no server is known.
    private func knownKeys() -> MemoryFile? {
        let path = request.settings.secureShell.knownHosts
        let text: [UInt8]
        do throws(RegularFile.OpenError) { text = try SmallFile.read(path, limit: 16 << 20) } catch { return nil }
        let origin = request.url.origin
        let keys = KnownHosts(String(decoding: text, as: UTF8.self), host: origin.host, port: origin.port)
        do throws(Errno) { return try MemoryFile(Array(keys.lines.utf8)) } catch { return nil }
    }

    /// - Parameter key: as in RFC 4253 §6.6: it begins with its type, a string with a length of four bytes.
    private func refuse(_ key: [UInt8], isChanged: Bool) {
        let length = key.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let type = key.dropFirst(4).prefix(min(length, 64)).filter { (0x21...0x7E).contains($0) }
        let fingerprint: String
        do {
            fingerprint = try "SHA256:" + Base64.text(of: Digest.sha256(key))
        } catch {
            fingerprint = "unknown"
        }
        let fault = HostKeyFault(
            isChanged: isChanged,
            type: String(decoding: type, as: UTF8.self),
            fingerprint: fingerprint,
            knownHosts: request.settings.secureShell.knownHosts
        )
        finding = .hostKey(fault)
    }

    /// Sets the options of an easy handle for the current step.
    private func begin() {
        let url = request.url.transferText
        unsafe ccurl_set_text(easy, CURLOPT_URL, step == .folder ? url + "/" : url)
        unsafe ccurl_set_long(easy, CURLOPT_NOBODY, step == .body ? 0 : 1)
        unsafe ccurl_set_text(easy, CURLOPT_RANGE, nil)
        // The time is known if an earlier step has requested it.
        let needsTime = !request.isListing && (step != .body || modified == nil)
        unsafe ccurl_set_long(easy, CURLOPT_FILETIME, needsTime ? 1 : 0)
        guard step == .body else { return }
        // Restores the method after a step without a body.
        unsafe ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
        switch (request.url.scheme, request.range) {
        case (.sftp, .bytes(let range)):
            unsafe ccurl_set_text(easy, CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound - 1)")
        case (_, .bytes), (_, .from): unsafe ccurl_set_offset(easy, CURLOPT_RESUME_FROM_LARGE, curl_off_t(first))
        case (_, .whole), (_, .last): break
        }
    }

    /// Whether the bytes that libcurl delivers now are those of the file. In a step without a body, it delivers the
    /// length and the time of a file on an FTP server as lines of text.
    var hasBody: Bool { step == .body }

    /// The first byte of the request.
    private var first: Int64 {
        switch request.range {
        case .bytes(let range): range.lowerBound
        case .from(let first): first
        case .whole, .last: 0
        }
    }

    /// The number of bytes that are still wanted, because FTP servers send more bytes than were requested. `.max` if
    /// the request has no end, or the length of the file is unknown.
    ///
    /// - Parameter received: the number of bytes received before.
    func wanted(after received: Int64) -> Int64 {
        guard case .bytes(let range) = request.range, byteCount != nil else { return .max }
        return Int64(range.count) - received
    }

    /// Whether all wanted bytes have arrived although the server sends more.
    func isSatisfied(by received: Int64) -> Bool {
        guard request.url.scheme != .sftp, let byteCount else { return false }
        return wanted(after: received) <= 0 && first + received < byteCount
    }

    /// The server's answer. Call when the first byte of the body has arrived, or the transfer has ended without any.
    func answer(isEmpty: Bool) -> FileAnswer {
        if request.url.scheme != .sftp, !request.isExamination {
            byteCount = count(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T).map { first + $0 }
        }
        if isEmpty, byteCount == nil, !request.isExamination { byteCount = first }
        return FileAnswer(byteCount: byteCount, modified: modified ?? count(CURLINFO_FILETIME_T))
    }

    /// Begins the next step after one has ended.
    ///
    /// - Returns: `false` if there is no next step: the transfer has ended.
    func continues(after result: CURLcode, received: Int64) -> Bool {
        switch step {
        case .examination:
            guard result == CURLE_OK else { return false }
            byteCount = count(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            modified = count(CURLINFO_FILETIME_T)
            if request.isExamination { return false }
            step = .body
        case .body:
            // OpenSSH opens a folder like a file, and reading it then fails.
            guard result == CURLE_SSH, request.url.scheme == .sftp, !request.isListing, received == 0, finding == nil
            else {
                return false
            }
            step = .folder
        case .folder: return false
        }
        begin()
        return true
    }

    /// The error of a transfer that has failed.
    func error(_ result: CURLcode, _ detail: String) -> CurlError {
        if step == .folder {
            // If the name ends with a slash, only a folder has a modification time.
            let isFolder = result == CURLE_OK && count(CURLINFO_FILETIME_T) != nil
            let other = result == CURLE_OK ? CURLE_SSH : result
            return CurlError(isFolder ? CURLE_SSH : other, detail: detail, finding: isFolder ? .folder : nil)
        }
        // FTP servers have one status for files that are missing and for files that the user may not read.
        if result == CURLE_REMOTE_FILE_NOT_FOUND, request.url.scheme != .sftp, !request.isListing,
            count(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) != nil
        {
            finding = .denied
        }
        // The server has no key of a known type. libcurl reports that as a failure of its own initialization.
        let code = result == CURLE_FAILED_INIT ? CURLE_SSH : result
        return CurlError(code, detail: detail, verification: verification, finding: finding)
    }

    /// Whether the transfer has succeeded. `result` is libcurl's.
    func isComplete(_ result: CURLcode) -> Bool { result == CURLE_OK && step != .folder }

    private var verification: Int {
        var value = 0
        unsafe ccurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &value)
        return value
    }

    /// One of libcurl's numbers. `nil` if libcurl does not know it, which it reports as -1.
    private func count(_ info: CURLINFO) -> Int64? {
        var value: curl_off_t = -1
        unsafe ccurl_get_offset(easy, info, &value)
        return value < 0 ? nil : Int64(value)
    }
}

extension FileExchange {
    /// The numeric address and the port to which libcurl is about to connect. The text is empty for an address that is
    /// not an IP address.
    static func text(of address: UnsafeMutablePointer<curl_sockaddr>) -> (host: String, port: Int) {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return ("", 0) }
        let place = unsafe UnsafeRawPointer(address).advanced(by: offset).assumingMemoryBound(to: sockaddr.self)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 16)
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        let status = unsafe getnameinfo(
            place,
            address.pointee.addrlen,
            &host,
            socklen_t(host.count),
            &port,
            socklen_t(port.count),
            flags
        )
        guard status == 0 else { return ("", 0) }
        return (String(cText: host), Int(String(cText: port)) ?? 0)
    }
}

extension String {
    /// The text up to the first zero.
    fileprivate init(cText: [CChar]) {
        self.init(decoding: cText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
