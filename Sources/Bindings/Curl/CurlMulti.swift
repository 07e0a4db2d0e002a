// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import EngineRuntime

/// Transfers that run side by side on one thread (`curl_multi_*`). They share connections and names; those of one
/// cookie jar, or of none, share TLS sessions.
///
/// Not thread-safe: used by the thread that runs the transfers. Only its `bell` may be used elsewhere.
@safe package struct CurlMulti: ~Copyable {
    /// The idle connections that are kept.
    private static let idleConnections = 32

    private let handle: Handle
    private let sessions = CookieJar()
    private var transfers: [UInt64: CurlTransfer] = [:]

    package init() {
        handle = Handle()
        unsafe ccurl_multi_set_long(handle.multi, CURLMOPT_MAXCONNECTS, Self.idleConnections)
    }

    deinit {
        for transfer in transfers.values { unsafe curl_multi_remove_handle(handle.multi, transfer.easy) }
    }

    /// Wakes the thread that waits in `wait`.
    package var bell: Bell { Bell(handle: handle) }

    package var isIdle: Bool { transfers.isEmpty }

    /// Starts a transfer.
    ///
    /// - Parameters:
    ///   - id: names the transfer; not in use.
    ///   - admits: whether the address that was connected, and its port, may be asked. Called before the request is sent,
    ///     except where a proxy is connected.
    package mutating func start(
        _ request: TransferRequest,
        id: UInt64,
        receiver: any TransferReceiver,
        admits: @escaping @Sendable (_ address: String, _ port: Int) -> Bool
    ) {
        let transfer = CurlTransfer(
            request,
            id: id,
            receiver: receiver,
            cookies: request.cookies ?? sessions,
            admits: admits
        )
        transfers[id] = transfer
        let status = unsafe curl_multi_add_handle(handle.multi, transfer.easy)
        precondition(status == CURLM_OK, "curl_multi_add_handle: \(status.rawValue)")
    }

    /// The bytes of the body that have come so far. `nil` if there is no such transfer.
    package func byteCount(of id: UInt64) -> Int64? { transfers[id]?.byteCount }

    /// Whether the request was sent, i.e. there is a connection.
    package func isConnected(_ id: UInt64) -> Bool { transfers[id]?.isConnected ?? false }

    /// Ends a transfer without another call to its receiver. Returns `nil` if there is no such transfer.
    package mutating func cancel(_ id: UInt64) -> TransferFacts? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        defer { unsafe curl_multi_remove_handle(handle.multi, transfer.easy) }
        return transfer.facts
    }

    /// Reads and writes what can be without waiting (`curl_multi_perform`).
    ///
    /// - Returns: the transfers that have ended.
    package mutating func perform() -> [(id: UInt64, end: TransferEnd, facts: TransferFacts)] {
        var running: CInt = 0
        let status = unsafe curl_multi_perform(handle.multi, &running)
        precondition(status == CURLM_OK, "curl_multi_perform: \(status.rawValue)")
        var ended: [(id: UInt64, end: TransferEnd, facts: TransferFacts)] = []
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(handle.multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            // The message is gone once the handle is removed.
            let result = unsafe message.pointee.data.result
            let id = unsafe CurlTransfer.id(of: easy)
            guard let transfer = transfers[id] else { preconditionFailure("libcurl ended an unknown transfer") }
            let end = transfer.end(result)
            if let facts = cancel(id) { ended.append((id, end, facts)) }
        }
        return ended
    }

    /// Waits until there is something to perform, until the bell rings, or for `duration` (`curl_multi_poll`).
    package func wait(atMost duration: Duration) {
        assertMayBlock("curl_multi_poll")
        let milliseconds = max(0, min(duration / .milliseconds(1), 60_000))
        unsafe curl_multi_poll(handle.multi, nil, 0, CInt(milliseconds.rounded(.up)), nil)
    }

    /// Thread-safety: safe. It may outlive the transfers.
    package struct Bell: Sendable {
        fileprivate let handle: Handle

        /// Ends a wait that is under way, or the next one (`curl_multi_wakeup`).
        package func ring() { unsafe curl_multi_wakeup(handle.multi) }
    }
}

// SAFETY: the pointer never changes, and `curl_multi_wakeup` is the only function that is called on threads other than
// that of the transfers; libcurl allows that. The last owner frees it, when no transfer is left.
@safe private final class Handle: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    init() {
        HTTPConnection.prepareLibrary()
        guard let multi = unsafe curl_multi_init() else { fatalError("curl_multi_init: out of memory") }
        unsafe self.multi = multi
    }

    deinit { unsafe curl_multi_cleanup(multi) }
}

/// The cookies and TLS sessions that some transfers share (`curl_share_init`).
// SAFETY: the pointer never changes. It is used by the transfers' thread only, because no other thread has their
// handles: hence it needs no locks. It is freed by its last owner, after every transfer that uses it.
@safe package final class CookieJar: @unchecked Sendable {
    fileprivate let share: UnsafeMutableRawPointer

    package init() {
        HTTPConnection.prepareLibrary()
        guard let share = unsafe curl_share_init() else { fatalError("curl_share_init: out of memory") }
        unsafe self.share = share
        unsafe ccurl_share(share, CURL_LOCK_DATA_COOKIE)
        unsafe ccurl_share(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { unsafe curl_share_cleanup(share) }

    /// Makes a handle use this jar.
    func attach(_ easy: UnsafeMutableRawPointer) { unsafe ccurl_set_pointer(easy, CURLOPT_SHARE, share) }
}
