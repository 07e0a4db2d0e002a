// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import EngineRuntime

/// The handover of a sink: a ring in shared memory that a front-end in another process reads.
package protocol SinkHandover: Handover {
    var sink: SessionSinks.Sink { get }
    /// Attaches the sink to its session once a front-end is attached.
    var attacher: SinkAttacher { get }
    /// Wakes callers that wait for the front-end to release something.
    var room: ChangeSignal { get }
    func withHandover<Value>(_ body: (inout HandoverState) -> Value) -> Value
    /// - Returns: `false` when the message cannot be sent.
    func handMemory(to peer: any HandoverPeer) -> Bool
    /// Stops taking data and ends the handover, in one step.
    func retire() -> (peer: (any HandoverPeer)?, sinkID: SessionSinkID?)
}

extension SinkHandover {
    package func begin(_ peer: any HandoverPeer) {
        guard withHandover({ $0.begin(peer) }) else { return end(because: .unread) }
        // The task ends when the session has answered.
        Task { await attachSink(peer) }
    }

    /// Attaches the sink to the session, then hands over the memory. In this order, the front-end misses no media that
    /// is played once it has the memory.
    private func attachSink(_ peer: any HandoverPeer) async {
        do throws(EngineError) {
            let sinkID = try await attacher.attach(sink)
            guard withHandover({ $0.note(sinkID) }) else { return await attacher.detach(sinkID) }
        } catch {
            return end(because: .refused)
        }
        guard handMemory(to: peer) else { return end(because: .unread) }
        asked()
    }

    /// Reports to the front-end that something has changed.
    func notify() { withHandover { $0.news() }?.send(HandoverMessage(.news), descriptors: []) }

    package func asked() {
        // The front-end may have released something that a caller of `take` waits for.
        room.signal()
        withHandover { $0.asked() }?.send(HandoverMessage(.news), descriptors: [])
    }

    package func ended() { end(because: .session) }

    func end(because reason: HandoverEnd) {
        let (peer, sinkID) = retire()
        room.signal()
        peer?.send(HandoverMessage(.over, value: reason.rawValue), descriptors: [])
        peer?.close()
        // The task ends when the session has answered.
        if let sinkID { Task { await attacher.detach(sinkID) } }
    }
}

/// The attached front-end, and whether the engine must send it a `news` message.
package struct HandoverState {
    enum Phase {
        /// No front-end has presented the ticket yet.
        case waiting
        case attached(any HandoverPeer)
        case over
    }

    private(set) var phase = Phase.waiting
    /// The sink's id in the session; `nil` while it is not attached to one.
    private var sinkID: SessionSinkID?
    /// Whether the front-end has asked for the next change.
    private var isAsked = true
    private var hasNews = false

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    var peer: (any HandoverPeer)? {
        if case .attached(let peer) = phase { peer } else { nil }
    }

    /// - Returns: `false` when a front-end is attached already, or the handover is over.
    mutating func begin(_ peer: any HandoverPeer) -> Bool {
        guard case .waiting = phase else { return false }
        phase = .attached(peer)
        // No `news` message precedes the one that hands over the memory.
        isAsked = false
        return true
    }

    /// - Returns: `false` when the handover is over, so that the caller must detach the sink.
    mutating func note(_ sinkID: SessionSinkID) -> Bool {
        guard !isOver else { return false }
        self.sinkID = sinkID
        return true
    }

    /// Notes that something has changed.
    ///
    /// - Returns: the peer that must be sent a `news` message now; `nil` if none.
    mutating func news() -> (any HandoverPeer)? {
        hasNews = true
        return answer()
    }

    mutating func asked() -> (any HandoverPeer)? {
        isAsked = true
        return answer()
    }

    private mutating func answer() -> (any HandoverPeer)? {
        guard hasNews, isAsked, case .attached(let peer) = phase else { return nil }
        (hasNews, isAsked) = (false, false)
        return peer
    }

    /// - Returns: the attached peer, and the sink that the caller must detach.
    mutating func end() -> (peer: (any HandoverPeer)?, sinkID: SessionSinkID?) {
        let (peer, sinkID) = (peer, sinkID)
        phase = .over
        self.sinkID = nil
        return (peer, sinkID)
    }
}
