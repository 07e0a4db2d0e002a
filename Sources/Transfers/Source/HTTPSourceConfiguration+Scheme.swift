// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension HTTPSourceConfiguration {
    /// Adapts the requests to the cost of a connection.
    mutating func adapt(to scheme: ServerScheme) {
        switch scheme {
        case .http, .https: return
        case .helper: break
        case .sftp:
            // A login takes about 20 round trips, a request on an open connection 5. Cancelling a request closes its
            // connection. So there are few connections, and requests that are nearly complete are not cancelled.
            fetches.largest = 2 << 20
            fetches.rest = 1 << 20
            parallel = 2
        case .ftp, .ftps, .ftpes:
            // A request that ends before the end of the file costs a login, and many servers limit the connections per
            // user.
            fetches.smallest = 1 << 20
            fetches.gap = 1 << 20
            fetches.waitDistance = 2 << 20
            parallel = 2
            // With FTP over TLS, libcurl 7.88 may fail to notice what has arrived (`TransferThread`). The short limit ends
            // a transfer that still waits.
            if scheme.isSecure { stallLimits.stall = min(stallLimits.stall, 5_000_000_000) }
        }
        // Only HTTP can carry reports of playback.
        cmcd = nil
    }
}
