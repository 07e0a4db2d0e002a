// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A registered source, and the socket on which to present its ticket.
package struct RegisteredSourceAnswer: Hashable, Sendable {
    package let registration: SourceRegistration
    package let socketPath: String

    package init(_ registration: SourceRegistration, socketPath: String) {
        self.registration = registration
        self.socketPath = socketPath
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.RegisteredSource(bytes)
        guard let ticket = HandoverTicket(wire.ticket) else { throw .invalid("ticket", "is not a valid ticket") }
        self.init(SourceRegistration(url: wire.url, ticket: ticket), socketPath: wire.socketPath)
    }

    package func framed() -> [UInt8] {
        var wire = Proto.RegisteredSource()
        wire.url = registration.url
        wire.ticket = registration.ticket.bytes
        wire.socketPath = socketPath
        return wire.framed()
    }

    /// Validates a request, which has no fields.
    package static func checkRequest(_ bytes: [UInt8]) throws(EngineError) {
        _ = try Proto.RegisterSourceRequest(bytes)
    }

    package static func framedRequest() -> [UInt8] { Proto.RegisterSourceRequest().framed() }
}
