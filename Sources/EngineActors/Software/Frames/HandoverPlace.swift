// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// A sink in another process, in memory that both see: who comes for it, what it is told, and how it ends.
protocol EndableHandover: Handover {
    var sink: SoftwareOutputs.Sink { get }
    /// Where it takes what it is given from, once a front-end is there.
    var place: HandoverPlace { get }
    /// Wakes who waits for the front-end to have let go of something.
    var room: ChangeSignal { get }
    func withLink<Value>(_ body: (inout HandoverLink) -> Value) -> Value
    /// - Returns: `false` when it cannot be told.
    func handMemory(to peer: any HandoverPeer) -> Bool
    /// Takes nothing more, in one step with the end of its link.
    func retire() -> (peer: (any HandoverPeer)?, output: OutputID?)
}

extension EndableHandover {
    package func begin(_ peer: any HandoverPeer) {
        guard withLink({ $0.begin(peer) }) else { return end(because: .unread) }
        // Ends when the session has answered.
        Task { await takePlace(peer) }
    }

    /// A front-end that has the memory misses nothing of what is played from then on.
    private func takePlace(_ peer: any HandoverPeer) async {
        do throws(EngineError) {
            let output = try await place.take(sink)
            guard withLink({ $0.note(output) }) else { return await place.leave(output) }
        } catch {
            return end(because: .refused)
        }
        guard handMemory(to: peer) else { return end(because: .unread) }
        asked()
    }

    /// Something has changed.
    func tell() { withLink { $0.news() }?.send(HandoverMessage(.news), descriptors: []) }

    package func asked() {
        // It may have read, or let go of, something that somebody waits for.
        room.signal()
        withLink { $0.asked() }?.send(HandoverMessage(.news), descriptors: [])
    }

    package func ended() { end(because: .session) }

    func end(because reason: HandoverEnd) {
        let (peer, output) = retire()
        room.signal()
        peer?.send(HandoverMessage(.over, value: reason.rawValue), descriptors: [])
        peer?.close()
        // Ends when the session has answered.
        if let output { Task { await place.leave(output) } }
    }
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
