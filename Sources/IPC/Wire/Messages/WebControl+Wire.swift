// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of tokens for control over HTTP.

/// The messages of `OpenWebControl`.
package enum WebControlOpening {
    private static let lifetimes = MediaTime.seconds(60)...MediaTime.seconds(30 * 86_400)
    private static let usualLifetime = MediaTime.seconds(12 * 3600)

    package static func framedRequest(lifetime: MediaTime?) -> [UInt8] {
        Proto.OpenWebControlRequest(lifetimeMicroseconds: lifetime?.microseconds ?? 0).framed()
    }

    package static func lifetime(wire bytes: [UInt8]) throws(EngineError) -> MediaTime {
        let lifetime = MediaTime(microseconds: try Proto.OpenWebControlRequest(bytes).lifetimeMicroseconds)
        if lifetime == .zero { return usualLifetime }
        guard lifetimes.contains(lifetime) else { throw .invalid("lifetime_us", "must be 1 minute to 30 days, or 0") }
        return lifetime
    }

    package static func framed(_ grant: WebGrant) -> [UInt8] {
        Proto.WebControl(
            url: grant.url,
            apiURL: grant.apiURL,
            token: grant.token,
            expiresUnixMicroseconds: grant.expiresUnixMicroseconds
        ).framed()
    }

    package static func grant(wire bytes: [UInt8]) throws(EngineError) -> WebGrant {
        let wire = try Proto.WebControl(bytes)
        return WebGrant(
            url: wire.url,
            apiURL: wire.apiURL,
            token: wire.token,
            expiresUnixMicroseconds: wire.expiresUnixMicroseconds
        )
    }
}

/// The messages of `CloseWebControl`.
package enum WebControlClosing {
    package static func framedRequest() -> [UInt8] { Proto.CloseWebControlRequest().framed() }

    package static func check(_ bytes: [UInt8]) throws(EngineError) { _ = try Proto.CloseWebControlRequest(bytes) }

    package static func framed(revoked: Int) -> [UInt8] {
        Proto.CloseWebControlResponse(revoked: UInt32(clamping: revoked)).framed()
    }

    package static func revoked(wire bytes: [UInt8]) throws(EngineError) -> Int {
        Int(try Proto.CloseWebControlResponse(bytes).revoked)
    }
}
