// SPDX-License-Identifier: Apache-2.0

/// A front-end's offer to play a session's HLS.
public struct RendererOffer: Hashable, Sendable {
    /// `nil`: the default session.
    public var session: SessionID?
    /// The name that watchers see.
    public var name: String
    /// Whether to replace a renderer that is already attached.
    public var replaces: Bool

    public init(session: SessionID?, name: String, replaces: Bool = false) {
        self.session = session
        self.name = name
        self.replaces = replaces
    }
}

/// One instruction to a renderer.
public struct RendererCommand: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// The master playlist, and the position where playback starts.
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

    /// Increases with every command of one attachment.
    public var number: UInt64
    public var action: Action

    public init(number: UInt64, action: Action) {
        self.number = number
        self.action = action
    }
}
