// SPDX-License-Identifier: Apache-2.0

/// What a front-end says of itself when it offers to play a session's HLS.
package struct RendererOffer: Hashable, Sendable {
    /// `nil`: the default session.
    package var session: SessionID?
    /// What watchers see it called.
    package var name: String
    /// Whether it takes the place of a renderer that is there.
    package var replaces: Bool

    package init(session: SessionID?, name: String, replaces: Bool = false) {
        self.session = session
        self.name = name
        self.replaces = replaces
    }
}

/// Names one attachment of a renderer.
package struct RendererID: Hashable, Sendable {
    package let session: SessionID
    package let number: UInt64

    package init(session: SessionID, number: UInt64) {
        self.session = session
        self.number = number
    }
}

/// One thing a renderer is to do.
package struct RendererCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// The master playlist, and where playback begins.
        case load(url: String, position: MediaTime)
        case play
        case pause
        case seek(id: UInt64, position: MediaTime)
        case rate(Double)
        case volume(Double)
        case muted(Bool)
        /// The session is over.
        case stop
    }

    /// Rises with every command of one attachment.
    package var number: UInt64
    package var action: Action

    package init(number: UInt64, action: Action) {
        self.number = number
        self.action = action
    }
}

/// Hears what a renderer is to do. Like an observer it only notes what it hears and returns.
package protocol RendererSink: AnyObject, Sendable {
    func receive(_ command: RendererCommand)
    /// Nothing follows. With an error it has lost its place, without one the session is over.
    func end(_ error: EngineError?)
}
