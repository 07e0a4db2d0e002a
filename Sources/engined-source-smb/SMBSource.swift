// SPDX-License-Identifier: Apache-2.0

internal import CSMBClient
internal import Glibc
internal import SourceHelper
internal import SourceWire

/// A file or a folder on an SMB share, read with libsmbclient.
///
/// It never closes the connection and the file: a helper reads one source, and the end of its process releases
/// everything.
@safe struct SMBSource: HelpedSource {
    /// The limit for the names of a folder, in bytes. Further names are not listed.
    private static let namesLimit = 8 << 20

    private let credentials = UnsafeMutablePointer<csmb_credentials>.allocate(capacity: 1)
    private var context: UnsafeMutablePointer<SMBCCTX>?
    private var file: OpaquePointer?
    /// The names in a folder; `nil` for a file.
    private var names: [UInt8]?
    private var request = OpenRequest(url: "")
    private var shown: String { request.shownURL }
    private var position: Int64 = 0
    private var isOpen = false
    /// Whether the request has a user name but no password.
    private var lacksPassword: Bool { !request.user.isEmpty && request.password.isEmpty }

    init() { unsafe credentials.initialize(to: csmb_credentials()) }

    mutating func open(_ request: OpenRequest) throws(SourceProblem) -> SourceState {
        self.request = request
        // libsmbclient reports a name that is not UTF-8 as a lack of memory.
        guard let path = request.path, String(validating: path, as: UTF8.self) != nil else {
            throw SourceProblem(
                .notReadable,
                "\(shown): the path is not percent-encoded UTF-8, which SMB servers require"
            )
        }
        try setCredentials(request)
        unsafe context = csmb_new(credentials, CInt(clamping: request.timeoutMilliseconds))
        guard unsafe context != nil else { throw problem(in: "smbc_init_context") }
        if request.url.hasSuffix("/") {
            names = try names(in: location)
        } else {
            unsafe file = csmb_open(context, location)
            guard unsafe file != nil else { throw problem(in: "smbc_open") }
        }
        isOpen = true
        return try state()
    }

    /// The URL for libsmbclient, which takes an IPv6 address only as a name: `fe80--1.ipv6-literal.net` for `[fe80::1]`.
    private var location: String {
        let host = request.host
        guard host.contains(":") else { return request.url }
        let name = String(host.map { $0 == ":" ? "-" : $0 }) + ".ipv6-literal.net"
        return request.url.replacing("[\(host)]", with: name, maxReplacements: 1)
    }

    /// Splits a user name of the form `DOMAIN;user` or `DOMAIN\user`.
    private func setCredentials(_ request: OpenRequest) throws(SourceProblem) {
        let parts = request.user.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == ";" || $0 == "\\" }
        let domain = parts.count == 2 ? parts[0] : ""
        let isSet = unsafe [
            Self.copy(String(domain), to: &credentials.pointee.domain),
            Self.copy(String(parts.last ?? ""), to: &credentials.pointee.user),
            Self.copy(request.password, to: &credentials.pointee.password),
        ]
        guard isSet.allSatisfy(\.self) else {
            throw SourceProblem(.accessDenied, "the user name or the password is longer than 255 bytes")
        }
    }

    private static func copy<Room>(_ text: String, to room: inout Room) -> Bool {
        unsafe withUnsafeMutableBytes(of: &room) { room in
            let bytes = Array(text.utf8)
            guard bytes.count < room.count, !bytes.contains(0) else { return false }
            unsafe room.copyBytes(from: bytes + [0])
            return true
        }
    }

    private func names(in url: String) throws(SourceProblem) -> [UInt8] {
        guard let folder = unsafe csmb_open_folder(context, url) else { throw problem(in: "smbc_opendir") }
        var names: [UInt8] = []
        while names.count < Self.namesLimit, let name = unsafe csmb_next_name(context, folder) {
            let name = unsafe String(cString: name)
            if name != ".", name != ".." { names += Array(name.utf8) + [0] }
        }
        unsafe csmb_close_folder(context, folder)
        return names
    }

    func state() throws(SourceProblem) -> SourceState {
        if let names { return SourceState(byteCount: Int64(names.count)) }
        var status = stat()
        guard unsafe csmb_state(context, file, &status) == 0 else { throw problem(in: "smbc_fstat") }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SourceProblem(.notReadable, "\(shown) is a folder") }
        let time = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        let tag = [Int(bitPattern: UInt(status.st_ino)), Int(status.st_size), time].map { String($0, radix: 16) }
        return SourceState(
            byteCount: Int64(status.st_size),
            tag: tag.joined(separator: "."),
            modified: Int64(status.st_mtim.tv_sec)
        )
    }

    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceProblem) -> Int {
        guard let names else { return unsafe try readFile(at: offset, into: buffer) }
        let rest = names.dropFirst(Int(clamping: offset)).prefix(buffer.count)
        unsafe buffer.copyBytes(from: rest)
        return rest.count
    }

    private mutating func readFile(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SourceProblem) -> Int {
        if offset != position {
            position = -1
            guard unsafe csmb_seek(context, file, offset) == offset else { throw problem(in: "smbc_lseek") }
            position = offset
        }
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = unsafe csmb_read(context, file, rest.baseAddress, rest.count)
            guard read >= 0 else {
                position = -1
                throw problem(in: "smbc_read")
            }
            if read == 0 { break }
            count += read
            position += Int64(read)
        }
        return count
    }

    /// Converts `errno`. Call it directly after the function that failed.
    private func problem(in function: String) -> SourceProblem {
        let code = errno
        // A server that sleeps or a network that is lost may have no name: neither is for good.
        if code == EINVAL, !isOpen, let reason = request.lookupFailure {
            return SourceProblem(.unreachable, "\(shown): \(function): \(reason)")
        }
        let kind: SourceProblem.Kind =
            switch code {
            case ENOENT, ENOTDIR, ENODEV, ENXIO: .notFound
            case EACCES, EPERM: .accessDenied
            // For an open file or folder, EINVAL means that the connection is lost.
            case EINVAL where isOpen: .failed
            // A login without a password fails with EINVAL.
            case EINVAL where lacksPassword: .accessDenied
            case EISDIR, EINVAL, ENAMETOOLONG: .notReadable
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ETIMEDOUT: .unreachable
            default: .failed
            }
        return SourceProblem(kind, "\(shown): \(function): \(unsafe String(cString: strerror(code))) (errno \(code))")
    }
}
