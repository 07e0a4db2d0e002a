// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import EngineRuntime

/// Concurrent transfers on one thread (`curl_multi_*`). They share connections and the DNS cache; transfers with the
/// same cookie jar, or with none, share TLS sessions and cookies.
///
/// Not thread-safe: used only by the thread that runs the transfers. Only `waker` may be used on other threads.
@safe package struct CurlMulti: ~Copyable {
    /// The maximum number of cached connections (`CURLMOPT_MAXCONNECTS`).
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
    package var waker: Waker { Waker(handle: handle) }

    package var isIdle: Bool { transfers.isEmpty }

    /// Starts a transfer.
    ///
    /// - Parameters:
    ///   - id: identifies the transfer; no running transfer may have it.
    ///   - allows: whether the request may be sent to a peer. Called before the request is sent. SFTP and FTP servers
    ///     receive the login earlier, so for them it is also called before a connection is opened. For a proxy, it is
    ///     called only before the connection is opened, with the proxy's address.
    package mutating func start(
        _ request: TransferRequest,
        id: UInt64,
        receiver: any TransferReceiver,
        allows: @escaping @Sendable (TransferPeer) -> Bool
    ) {
        let transfer = CurlTransfer(
            request,
            id: id,
            receiver: receiver,
            cookies: request.cookies ?? sessions,
            allows: allows
        )
        transfers[id] = transfer
        let status = unsafe curl_multi_add_handle(handle.multi, transfer.easy)
        precondition(status == CURLM_OK, "curl_multi_add_handle: \(status.rawValue)")
    }

    /// The number of body bytes received so far. `nil` if there is no such transfer.
    package func byteCount(of id: UInt64) -> Int64? { transfers[id]?.byteCount }

    /// Whether the transfer has a connection over which it can send its request: with SFTP and FTP, whether it is
    /// logged in. `false` if there is no such transfer.
    package func isConnected(_ id: UInt64) -> Bool { transfers[id]?.isConnected ?? false }

    /// How long an SFTP or FTP server has sent nothing during the login of a transfer, in nanoseconds. `nil` if the
    /// transfer has no connection yet, is logged in, or belongs to HTTP.
    package func loginSilence(of id: UInt64) -> Int64? { transfers[id]?.loginSilence }

    /// Whether the transfer waits to be resumed. `false` if there is no such transfer.
    package func isPaused(_ id: UInt64) -> Bool { transfers[id]?.isPaused ?? false }

    /// Whether the head of the response has been received. `false` if there is no such transfer.
    package func isAnswered(_ id: UInt64) -> Bool { transfers[id]?.isAnswered ?? false }

    /// Whether the transfer has opened a connection of its own. `false` if there is no such transfer.
    package func hasNewConnection(_ id: UInt64) -> Bool { transfers[id]?.hasNewConnection ?? false }

    /// Resumes a transfer that was paused because its receiver had no room.
    package func resume(_ id: UInt64) { transfers[id]?.resume() }

    /// Cancels a transfer; its receiver is no longer called. Returns `nil` if there is no such transfer.
    package mutating func cancel(_ id: UInt64) -> TransferFacts? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        defer { unsafe curl_multi_remove_handle(handle.multi, transfer.easy) }
        return transfer.facts
    }

    /// Reads and writes as much as possible without blocking (`curl_multi_perform`).
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
            // Read the message first: removing the handle invalidates it.
            let result = unsafe message.pointee.data.result
            let id = unsafe CurlEasy.id(of: easy)
            guard let transfer = transfers[id] else { preconditionFailure("libcurl ended an unknown transfer") }
            if transfer.continues(after: result) {
                unsafe curl_multi_remove_handle(handle.multi, easy)
                let status = unsafe curl_multi_add_handle(handle.multi, easy)
                precondition(status == CURLM_OK, "curl_multi_add_handle: \(status.rawValue)")
                continue
            }
            let end = transfer.end(result)
            if let facts = cancel(id) { ended.append((id, end, facts)) }
        }
        return ended
    }

    /// Waits until a socket is ready, `Waker.wake` is called, or `duration` has passed, for at most a minute
    /// (`curl_multi_poll`).
    ///
    /// - Parameter routes: a socket that also ends the wait when it is readable.
    /// - Returns: whether `routes` is readable.
    @discardableResult
    package func wait(atMost duration: Duration, orFor routes: RouteSocket? = nil) -> Bool {
        assertMayBlock("curl_multi_poll")
        let milliseconds = CInt(max(0, min(duration / .milliseconds(1), 60_000)).rounded(.up))
        guard let routes else {
            unsafe curl_multi_poll(handle.multi, nil, 0, milliseconds, nil)
            return false
        }
        var other = curl_waitfd(fd: routes.descriptor, events: CShort(CURL_WAIT_POLLIN), revents: 0)
        unsafe curl_multi_poll(handle.multi, &other, 1, milliseconds, nil)
        return other.revents != 0
    }

    /// Ends `wait` from another thread.
    ///
    /// Thread-safety: safe. It may outlive the `CurlMulti`.
    package struct Waker: Sendable {
        fileprivate let handle: Handle

        /// Ends the current wait, or the next one (`curl_multi_wakeup`).
        package func wake() { unsafe curl_multi_wakeup(handle.multi) }
    }
}

// SAFETY: the pointer never changes. `curl_multi_wakeup` is the only function called on threads other than the transfer
// thread; libcurl allows that. The last owner frees the handle, when no transfer is left.
@safe private final class Handle: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    init() {
        CurlLibrary.prepare()
        guard let multi = unsafe curl_multi_init() else { fatalError("curl_multi_init: out of memory") }
        unsafe self.multi = multi
    }

    deinit { unsafe curl_multi_cleanup(multi) }
}

/// Cookies and TLS sessions shared by some transfers (`curl_share_init`).
// SAFETY: the pointer never changes. Only the transfer thread uses the share, because only that thread has the easy
// handles, so no locks are needed. The last owner frees it, after every transfer that uses it has ended.
@safe package final class CookieJar: @unchecked Sendable {
    fileprivate let share: UnsafeMutableRawPointer

    package init() {
        CurlLibrary.prepare()
        guard let share = unsafe curl_share_init() else { fatalError("curl_share_init: out of memory") }
        unsafe self.share = share
        unsafe ccurl_share(share, CURL_LOCK_DATA_COOKIE)
        unsafe ccurl_share(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { unsafe curl_share_cleanup(share) }

    /// Makes an easy handle use this jar.
    func attach(_ easy: UnsafeMutableRawPointer) { unsafe ccurl_set_pointer(easy, CURLOPT_SHARE, share) }
}
