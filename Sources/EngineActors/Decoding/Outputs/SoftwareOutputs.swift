// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The sinks that receive a session's frames and audio from the engine. They stay when the source or the path changes.
package struct SoftwareOutputs: Sendable {
    package enum Sink: Sendable {
        case video(any FrameSink)
        case audio(any AudioSink)
    }

    package struct Output: Sendable {
        package let id: OutputID
        package let sink: Sink
        /// Whether the renderer has the sink, or is about to receive it.
        var isClaimed = false
        /// The renderer's id for the sink.
        var attachment: SoftwareRenderer.SinkID?
    }

    package private(set) var all: [Output] = []
    /// The engine's own audio output.
    package var ownAudio: OutputID?

    private var lastNumber: UInt64 = 0

    package init() {}

    /// The engine's own audio output, if it is a device.
    package var ownDevice: DeviceAudioSink? {
        guard case .audio(let sink)? = all.first(where: { $0.id == ownAudio })?.sink else { return nil }
        return sink as? DeviceAudioSink
    }

    package mutating func add(_ sink: Sink) -> OutputID {
        lastNumber += 1
        let id = OutputID(number: lastNumber)
        all.append(Output(id: id, sink: sink))
        return id
    }

    /// - Returns: the renderer's id for the sink; `nil` if the renderer does not have it.
    package mutating func remove(_ id: OutputID) -> SoftwareRenderer.SinkID? {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: place).attachment
    }

    /// Returns the outputs that the renderer does not have yet, and marks them as claimed. The caller attaches them.
    package mutating func claim() -> [Output] {
        defer { for place in all.indices { all[place].isClaimed = true } }
        return all.filter { !$0.isClaimed }
    }

    /// - Returns: whether the output still exists.
    package mutating func note(_ attachment: SoftwareRenderer.SinkID, of id: OutputID) -> Bool {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return false }
        all[place].attachment = attachment
        return true
    }

    /// Marks all outputs as detached, because the renderer has ended.
    package mutating func detachAll() {
        for place in all.indices { (all[place].isClaimed, all[place].attachment) = (false, nil) }
    }
}

/// Identifies a sink of a session.
package struct OutputID: Hashable, Sendable {
    let number: UInt64
}

/// Takes and gives up a sink's place in its session.
package struct HandoverPlace: Sendable {
    /// The reason why a place was refused.
    package typealias Refusal = EngineError

    let take: @Sendable (SoftwareOutputs.Sink) async throws(Refusal) -> OutputID
    let leave: @Sendable (OutputID) async -> Void

    package init(
        take: @escaping @Sendable (SoftwareOutputs.Sink) async throws(Refusal) -> OutputID,
        leave: @escaping @Sendable (OutputID) async -> Void
    ) {
        self.take = take
        self.leave = leave
    }
}
