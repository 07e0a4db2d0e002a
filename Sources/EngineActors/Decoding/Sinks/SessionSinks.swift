// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The sinks that receive a session's frames and audio from the engine. They stay when the source or the path changes.
package struct SessionSinks: Sendable {
    package enum Sink: Sendable {
        case video(any FrameSink)
        case audio(any AudioSink)
    }

    package struct Entry: Sendable {
        package let id: SessionSinkID
        package let sink: Sink
        /// Whether the renderer has the sink, or is about to receive it.
        var isClaimed = false
        /// The renderer's id for the sink.
        var rendererSinkID: SoftwareRenderer.SinkID?
    }

    package private(set) var all: [Entry] = []
    /// The engine's own audio sink.
    package var ownAudio: SessionSinkID?

    private var lastNumber: UInt64 = 0

    package init() {}

    /// The engine's own audio sink, if it is a device.
    package var ownDevice: DeviceAudioSink? {
        guard case .audio(let sink)? = all.first(where: { $0.id == ownAudio })?.sink else { return nil }
        return sink as? DeviceAudioSink
    }

    package mutating func add(_ sink: Sink) -> SessionSinkID {
        lastNumber += 1
        let id = SessionSinkID(number: lastNumber)
        all.append(Entry(id: id, sink: sink))
        return id
    }

    /// - Returns: the renderer's id for the sink; `nil` if the renderer does not have it.
    package mutating func remove(_ id: SessionSinkID) -> SoftwareRenderer.SinkID? {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: place).rendererSinkID
    }

    /// Returns the sinks that the renderer does not have yet, and marks them as claimed. The caller must attach them.
    package mutating func claim() -> [Entry] {
        defer { for place in all.indices { all[place].isClaimed = true } }
        return all.filter { !$0.isClaimed }
    }

    /// - Returns: whether the sink still exists.
    package mutating func note(_ rendererSinkID: SoftwareRenderer.SinkID, of id: SessionSinkID) -> Bool {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return false }
        all[place].rendererSinkID = rendererSinkID
        return true
    }

    /// Marks all sinks as detached, because the renderer has ended.
    package mutating func detachAll() {
        for place in all.indices { (all[place].isClaimed, all[place].rendererSinkID) = (false, nil) }
    }
}

/// Identifies a sink of a session.
package struct SessionSinkID: Hashable, Sendable {
    let number: UInt64
}

/// Attaches a sink to its session, and detaches it.
package struct SinkAttacher: Sendable {
    /// The reason why a session refused a sink.
    package typealias Refusal = EngineError

    let attach: @Sendable (SessionSinks.Sink) async throws(Refusal) -> SessionSinkID
    let detach: @Sendable (SessionSinkID) async -> Void

    package init(
        attach: @escaping @Sendable (SessionSinks.Sink) async throws(Refusal) -> SessionSinkID,
        detach: @escaping @Sendable (SessionSinkID) async -> Void
    ) {
        self.attach = attach
        self.detach = detach
    }
}
