// SPDX-License-Identifier: Apache-2.0

/// What a front-end says of itself when it offers to play a session's HLS.
public struct RendererOffer: Hashable, Sendable {
    /// `nil`: the default session.
    public var session: SessionID?
    /// What watchers see it called.
    public var name: String
    /// Whether it takes the place of a renderer that is there.
    public var replaces: Bool

    public init(session: SessionID?, name: String, replaces: Bool = false) {
        self.session = session
        self.name = name
        self.replaces = replaces
    }
}

/// One thing a renderer is to do.
public struct RendererCommand: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
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
    public var number: UInt64
    public var action: Action

    public init(number: UInt64, action: Action) {
        self.number = number
        self.action = action
    }
}
