// SPDX-License-Identifier: Apache-2.0

/// Names one attachment of a renderer.
package struct RendererID: Hashable, Sendable {
    package let session: SessionID
    package let number: UInt64

    package init(session: SessionID, number: UInt64) {
        self.session = session
        self.number = number
    }
}

/// Hears what a renderer is to do. Like an observer it only notes what it hears and returns.
package protocol RendererSink: AnyObject, Sendable {
    func receive(_ command: RendererCommand)
    /// Nothing follows. With an error it has lost its place, without one the session is over.
    func end(_ error: EngineError?)
}
