// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
package import SourceWire

/// A source that a helper program reads.
package protocol HelpedSource {
    /// Opens the file or folder that the URL names.
    mutating func open(_ request: OpenRequest) throws(SourceProblem) -> SourceState

    /// The current state of the opened file or folder.
    mutating func state() throws(SourceProblem) -> SourceState

    /// Reads from `offset` on.
    ///
    /// - Returns: the number of bytes read; less than the size of the buffer only at the end of the source.
    mutating func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceProblem) -> Int
}

/// The helper's end of the source protocol (docs/sources.md): answers the requests that arrive on a socket, one after
/// another.
@safe package struct SourceServer<Source: HelpedSource> {
    private let socket: CInt
    private var source: Source
    private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Requests that were received but not answered yet, and the ids of those that the engine has cancelled.
    private var waiting: [SourceRequest] = []
    private var cancelled: Set<UInt32> = []

    /// - Parameter socket: the standard input of a helper program.
    package init(_ source: Source, on socket: CInt = STDIN_FILENO) {
        self.source = source
        self.socket = socket
    }

    /// Answers requests until the engine closes its end of the socket. When the engine ends, the kernel kills this
    /// process, which may be unable to read the socket because it is stopped or waits for a server.
    ///
    /// - Throws: if the engine breaks the protocol.
    package mutating func run() throws(SourceViolation) {
        // The kernel sends the signal when the engine's thread that started this process ends. That thread belongs to
        // the source, and kills this process before it ends itself. If the engine ends before this call, `receive`
        // finds the socket closed.
        csystem_end_with_parent()
        while true {
            // Receive all pending messages first, so that a cancellation overtakes the reads sent before it.
            guard try receive(waits: waiting.isEmpty) else { return }
            while try receive(waits: false), hasMore {}
            guard !waiting.isEmpty else { continue }
            guard send(try answer(to: waiting.removeFirst())) else { return }
        }
    }

    private var hasMore: Bool {
        var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&look, 1, 0) > 0
    }

    /// - Returns: whether the socket is still open.
    private mutating func receive(waits: Bool) throws(SourceViolation) -> Bool {
        guard waits || hasMore else { return true }
        var (count, descriptors) = (0, 1)
        var descriptor: CInt = -1
        let message = unsafe [UInt8](unsafeUninitializedCapacity: longestSourceMessage) { buffer, filled in
            count = unsafe csystem_receive_with_descriptors(
                socket,
                buffer.baseAddress,
                buffer.count,
                &descriptor,
                &descriptors
            )
            filled = max(0, count)
        }
        // Memory stays mapped when its descriptor is closed. No other message should bring one.
        defer { if descriptors > 0, descriptor >= 0 { close(descriptor) } }
        guard count > 0 else { return false }
        let request = try SourceRequest(message)
        switch request {
        case .open(let open):
            guard descriptors == 1 else { throw .malformed }
            let base = unsafe mmap(nil, open.memoryByteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            guard let base = unsafe base, unsafe base != MAP_FAILED else { throw .malformed }
            unsafe memory = UnsafeMutableRawBufferPointer(start: base, count: open.memoryByteCount)
        case .cancel(let id):
            // Cancelling a read that was already answered has no effect.
            let isWaiting = waiting.contains { if case .read(id, _, _, _) = $0 { true } else { false } }
            if isWaiting { cancelled.insert(id) }
            return true
        case .state, .read: break
        }
        waiting.append(request)
        return true
    }

    private mutating func answer(to request: SourceRequest) throws(SourceViolation) -> SourceReply {
        var id: UInt32 = 0
        do throws(SourceProblem) {
            switch request {
            case .open(let open): return .opened(try source.open(open))
            case .state(let asked):
                id = asked
                return .state(id: asked, try source.state())
            case .read(let asked, let offset, let count, let position):
                id = asked
                guard cancelled.remove(asked) == nil else { throw SourceProblem(.cancelled, "") }
                guard unsafe count <= memory.count, unsafe position <= memory.count - count else { break }
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[position..<position + count])
                return .data(id: asked, count: unsafe try source.read(at: offset, into: place))
            case .cancel: break
            }
        } catch {
            return .failed(id: id, error)
        }
        throw .malformed
    }

    /// - Returns: whether the engine can still receive.
    private func send(_ reply: SourceReply) -> Bool {
        let bytes = reply.bytes
        return unsafe Glibc.send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }
}
