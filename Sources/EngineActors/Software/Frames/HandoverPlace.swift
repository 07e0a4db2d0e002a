// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// An attachment that the engine can end.
protocol EndableHandover: Handover {
    func end(because reason: HandoverEnd)
}

/// A sink's place in its session: how it is taken, and given up.
struct HandoverPlace: Sendable {
    let take: @Sendable (SoftwareOutputs.Sink) async throws(EngineError) -> OutputID
    let leave: @Sendable (OutputID) async -> Void
}

/// Who has come for an attachment, and what there is to tell.
struct HandoverLink {
    enum Life {
        /// Nobody has shown the ticket yet.
        case waiting
        case attached(any HandoverPeer)
        case over
    }

    private(set) var life = Life.waiting
    /// The sink's place in the session, once it has one.
    private var output: OutputID?
    /// The front-end wants to hear of the next change.
    private var isAsked = true
    private var hasNews = false

    var isOver: Bool {
        if case .over = life { true } else { false }
    }

    var peer: (any HandoverPeer)? {
        if case .attached(let peer) = life { peer } else { nil }
    }

    /// - Returns: `false` when somebody has come already, or it is over.
    mutating func begin(_ peer: any HandoverPeer) -> Bool {
        guard case .waiting = life else { return false }
        life = .attached(peer)
        // The first word is the memory.
        isAsked = false
        return true
    }

    /// - Returns: `false` when it is over: the place is to be given up.
    mutating func note(_ output: OutputID) -> Bool {
        guard !isOver else { return false }
        self.output = output
        return true
    }

    /// Something has changed.
    ///
    /// - Returns: who has to be told, if anybody.
    mutating func news() -> (any HandoverPeer)? {
        hasNews = true
        return answer()
    }

    mutating func asked() -> (any HandoverPeer)? {
        isAsked = true
        return answer()
    }

    private mutating func answer() -> (any HandoverPeer)? {
        guard hasNews, isAsked, case .attached(let peer) = life else { return nil }
        (hasNews, isAsked) = (false, false)
        return peer
    }

    /// - Returns: who was attached, and the place that is to be given up.
    mutating func end() -> (peer: (any HandoverPeer)?, output: OutputID?) {
        let (peer, output) = (peer, output)
        life = .over
        self.output = nil
        return (peer, output)
    }
}
