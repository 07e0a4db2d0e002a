// SPDX-License-Identifier: Apache-2.0

/// Identifies one attachment of a renderer.
package struct RendererID: Hashable, Sendable {
    package let session: SessionID
    package let number: UInt64

    package init(session: SessionID, number: UInt64) {
        self.session = session
        self.number = number
    }
}

/// Receives a renderer's commands. Like an observer, it must only record what it receives and return.
package protocol CommandReceiver: AnyObject, Sendable {
    func receive(_ command: RendererCommand)
    /// No command follows. With an error, the renderer has lost its attachment; without one, the session has ended.
    func end(_ error: EngineError?)
}
