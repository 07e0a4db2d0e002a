// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension HTTPSourceConfiguration {
    /// Adapts the requests to what a connection costs.
    mutating func adapt(to scheme: ServerScheme) {
        switch scheme {
        case .http, .https: return
        case .sftp:
            // A request that is cancelled costs its connection, and the next one a login. Requests are short enough to
            // be completed instead.
            fetches.largest = 4 << 20
            fetches.rest = fetches.largest
        case .ftp, .ftps, .ftpes:
            // Each request that ends before the file costs a login, and many servers limit the connections of a user.
            fetches.smallest = 1 << 20
            fetches.gap = 1 << 20
            fetches.waitDistance = 2 << 20
            parallel = 2
            // libcurl 7.88 sometimes waits for a data connection of FTP over TLS that the server waits for too.
            if scheme.isSecure { stallLimits.stall = min(stallLimits.stall, 5_000_000_000) }
        }
        // Only HTTP carries a report.
        cmcd = nil
    }
}
