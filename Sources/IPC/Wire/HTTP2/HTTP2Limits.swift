// SPDX-License-Identifier: Apache-2.0

internal import CNghttp2

/// Resource limits of one connection. They are announced to the peer if HTTP/2 has a setting for them.
package struct HTTP2Limits {
    var concurrentStreams: UInt32 = 128
    package var streamWindow: UInt32 = 1 << 20
    var connectionWindow: Int32 = 4 << 20
    package var headerListSize: UInt32 = 8 << 10
    /// SETTINGS and PING acknowledgements that may be queued for a peer that does not read.
    var waitingAcknowledgements = 1000
    /// Whether the session returns flow-control window only when the caller calls `consume`.
    package var isWindowManual = false

    package init() {}

    /// The caller frees the result with `nghttp2_option_del`.
    func makeOptions() -> OpaquePointer? {
        var options: OpaquePointer?
        let status = unsafe nghttp2_option_new(&options)
        precondition(status == 0, "nghttp2_option_new failed: \(status)")
        // Clients send various values of `:authority` over a Unix socket, or none, so nghttp2's checks are off;
        // `RequestHead` checks the method and the content type instead.
        unsafe nghttp2_option_set_no_http_messaging(options, 1)
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_max_outbound_ack(options, waitingAcknowledgements)
        unsafe nghttp2_option_set_no_auto_window_update(options, isWindowManual ? 1 : 0)
        return unsafe options
    }

    /// Submits the first SETTINGS, and the window of the connection, for which HTTP/2 has no setting.
    func submit(to session: OpaquePointer?, role: HTTP2Session.Role) {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: streamWindow
            ),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: headerListSize
            ),
        ]
        switch role {
        case .server:
            entries.append(
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                    value: concurrentStreams
                )
            )
        case .client:
            entries.append(
                nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
            )
        }
        let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        unsafe nghttp2_submit_settings(session, none, entries, entries.count)
        unsafe nghttp2_session_set_local_window_size(session, none, 0, connectionWindow)
    }
}
