// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation

/// Writes bytes directly to the socket, to send what no client library would. Reads and writes time out after
/// `patience` seconds. Writes block the calling thread; reads do not, because the server that they wait for may need
/// the threads of the cooperative pool.
///
/// Thread-safety: only one task at a time may read.
final class RawClient: Sendable {
    private let descriptor: CInt
    private let reading = DispatchQueue(label: "raw-client")
    private let hasSeenEnd = Locked(false)

    /// Whether a read has found that the server has closed the connection.
    var isClosed: Bool { hasSeenEnd.withLock { $0 } }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0)

    init(_ path: String, patience seconds: Int = 300) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: whether the server still accepted the bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let sent = unsafe bytes[offset...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            offset += sent
        }
        return true
    }

    /// The bytes that the server sends until it closes the connection, or sends nothing for `patience` seconds.
    func readToEnd() async -> [UInt8] {
        var received: [UInt8] = []
        while case let more = await read(), !more.isEmpty { received += more }
        return received
    }

    /// The types of the frames that the server sends on a stream, until the stream ends, the connection is closed, or
    /// nothing comes for `patience` seconds.
    func readKinds(ofStream stream: UInt32) async -> [UInt8] {
        var received: [UInt8] = []
        var kinds: [UInt8] = []
        while case let more = await read(), !more.isEmpty {
            received += more
            while received.count >= 9, case let end = 9 + received[..<3].reduce(0, { $0 << 8 | Int($1) }),
                received.count >= end
            {
                let (kind, flags, isOwn) = (received[3], received[4], Array(received[5..<9]) == Self.bytes(stream))
                received.removeFirst(end)
                if isOwn { kinds.append(kind) }
                // END_STREAM of DATA or HEADERS.
                if isOwn, kind < 2, flags & 1 == 1 { return kinds }
            }
        }
        return kinds
    }

    /// The next bytes; none if the server has closed the connection or sends nothing for `patience` seconds.
    private func read() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            reading.async { [self] in continuation.resume(returning: receive()) }
        }
    }

    private func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        let isEnd = count == 0 || count < 0 && errno == ECONNRESET
        hasSeenEnd.withLock { $0 = isEnd }
        return Array(buffer.prefix(max(0, count)))
    }

    /// One HTTP/2 frame (RFC 9113 §4.1).
    static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags] + bytes(stream)
            + payload
    }

    static func bytes(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } }

    /// HEADERS of a gRPC request, literal fields without indexing (RFC 7541 §6.2.2).
    static func headers(_ path: String, stream: UInt32, more: [(String, String)] = []) -> [UInt8] {
        let fields =
            [(":method", "POST"), (":scheme", "http"), (":path", path), ("content-type", "application/grpc")] + more
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(1, 4, stream, block)
    }

    /// The error codes of the GOAWAY frames in `bytes`.
    static func goAwayCodes(in bytes: [UInt8]) -> [UInt32] {
        var codes: [UInt32] = []
        var index = 0
        while index + 9 <= bytes.count {
            let count = bytes[index..<index + 3].reduce(0) { $0 << 8 | Int($1) }
            if bytes[index + 3] == 7, index + 17 <= bytes.count {
                codes.append(bytes[index + 13..<index + 17].reduce(0) { $0 << 8 | UInt32($1) })
            }
            index += 9 + count
        }
        return codes
    }
}
