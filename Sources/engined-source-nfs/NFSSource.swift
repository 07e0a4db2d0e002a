// SPDX-License-Identifier: Apache-2.0

internal import CNFS
internal import Glibc
internal import SourceHelper
internal import SourceWire

/// A file or a folder on an NFS server, read with libnfs.
///
/// It never closes the connection and the file: a helper reads one source, and the end of its process releases
/// everything.
@safe struct NFSSource: HelpedSource {
    /// The limit for the names of a folder, in bytes. Further names are not listed.
    private static let namesLimit = 8 << 20
    /// The longest read in one call, in bytes. libnfs splits longer ones with NFS 3 only; with NFS 4 it closes the
    /// connection when the answer arrives, because it accepts no more than this and a header (`NFS_MAX_XFER_SIZE`).
    private static let longestRead = 1 << 20

    private var context: OpaquePointer?
    private var file: OpaquePointer?
    /// The names in a folder; `nil` for a file.
    private var names: [UInt8]?
    private var shown = ""
    private var isOpen = false

    mutating func open(_ request: OpenRequest) throws(SourceProblem) -> SourceState {
        shown = request.shownURL
        guard let location = NFSLocation(request) else {
            throw SourceProblem(.notReadable, "\(shown) is not of the form nfs://HOST/EXPORT/FILE")
        }
        unsafe context = nfs_init_context()
        unsafe nfs_set_timeout(context, CInt(clamping: request.timeoutMilliseconds))
        // A lost connection must be an error, after which the engine starts another helper.
        unsafe nfs_set_autoreconnect(context, 0)
        guard let server = unsafe nfs_parse_url_incomplete(context, location.server) else {
            throw SourceProblem(.notReadable, "\(shown): \(message)")
        }
        unsafe nfs_destroy_url(server)
        try check(unsafe nfs_mount(context, request.host, Self.cString(location.folder)), "nfs_mount")
        if location.name.isEmpty {
            names = try listed()
        } else {
            try check(
                unsafe nfs_open(context, Self.cString([UInt8(ascii: "/")] + location.name), O_RDONLY, &file),
                "nfs_open"
            )
        }
        isOpen = true
        return try state()
    }

    private static func cString(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

    private func listed() throws(SourceProblem) -> [UInt8] {
        var folder: OpaquePointer?
        try check(unsafe nfs_opendir(context, "/", &folder), "nfs_opendir")
        var names: [UInt8] = []
        while names.count < Self.namesLimit, let entry = unsafe nfs_readdir(context, folder) {
            guard let start = unsafe entry.pointee.name else { continue }
            let name = unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
            if name != Array(".".utf8), name != Array("..".utf8) { names += name + [0] }
        }
        unsafe nfs_closedir(context, folder)
        return names
    }

    func state() throws(SourceProblem) -> SourceState {
        if let names { return SourceState(byteCount: Int64(names.count)) }
        var status = nfs_stat_64()
        try check(unsafe nfs_fstat64(context, file, &status), "nfs_fstat64")
        guard mode_t(truncatingIfNeeded: status.nfs_mode) & S_IFMT != S_IFDIR else {
            throw SourceProblem(.notReadable, "\(shown) is a folder")
        }
        let tag = [status.nfs_ino, status.nfs_size, status.nfs_mtime, status.nfs_mtime_nsec]
        return SourceState(
            byteCount: Int64(clamping: status.nfs_size),
            tag: tag.map { String($0, radix: 16) }.joined(separator: "."),
            modified: Int64(clamping: status.nfs_mtime)
        )
    }

    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceProblem) -> Int {
        if let names {
            let rest = names.dropFirst(Int(clamping: offset)).prefix(buffer.count)
            unsafe buffer.copyBytes(from: rest)
            return rest.count
        }
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...].prefix(Self.longestRead))
            let start = UInt64(offset) + UInt64(count)
            let read = try check(
                unsafe nfs_pread(context, file, start, UInt64(rest.count), rest.baseAddress),
                "nfs_pread"
            )
            if read == 0 { break }
            count += read
        }
        return count
    }

    private var message: String { unsafe String(cString: nfs_get_error(context)) }

    /// - Parameter status: a result of libnfs; if negative, an `errno` value.
    @discardableResult
    private func check(_ status: CInt, _ function: String) throws(SourceProblem) -> Int {
        guard status < 0 else { return Int(status) }
        let kind: SourceProblem.Kind =
            switch -status {
            case ENOENT, ENOTDIR: .notFound
            // libnfs returns -1, which is also EPERM, if it cannot begin to connect: no address of the server is known,
            // or the network is lost.
            case EPERM where message.contains("Failed to start connection"): .unreachable
            case EACCES, EPERM: .accessDenied
            case _ where isOpen: .failed
            case EISDIR, EINVAL, ENAMETOOLONG: .notReadable
            default: .unreachable
            }
        throw SourceProblem(kind, "\(shown): \(function): \(message)")
    }
}
