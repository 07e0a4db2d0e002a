// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Who takes pictures and sound of a session from the engine. They outlive sources and changes of the path.
struct SoftwareOutputs: Sendable {
    enum Sink: Sendable {
        case pictures(any PictureSink)
        case sound(any SoundSink)
    }

    struct Output: Sendable {
        let id: OutputID
        let sink: Sink
        /// Whether the renderer has it, or is about to.
        var isClaimed = false
        /// What the renderer calls it.
        var attachment: SoftwareRenderer.SinkID?
    }

    private(set) var all: [Output] = []
    /// That of the engine itself.
    var ownSound: OutputID?
    /// The same, where it is a device.
    var ownDevice: DeviceSoundSink? {
        guard case .sound(let sink)? = all.first(where: { $0.id == ownSound })?.sink else { return nil }
        return sink as? DeviceSoundSink
    }
    private var lastNumber: UInt64 = 0

    mutating func add(_ sink: Sink) -> OutputID {
        lastNumber += 1
        let id = OutputID(number: lastNumber)
        all.append(Output(id: id, sink: sink))
        return id
    }

    /// - Returns: what the renderer calls it.
    mutating func remove(_ id: OutputID) -> SoftwareRenderer.SinkID? {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: place).attachment
    }

    /// Those that the renderer does not have yet. It is to be given them.
    mutating func claim() -> [Output] {
        defer { for place in all.indices { all[place].isClaimed = true } }
        return all.filter { !$0.isClaimed }
    }

    /// - Returns: whether it is there still.
    mutating func note(_ attachment: SoftwareRenderer.SinkID, of id: OutputID) -> Bool {
        guard let place = all.firstIndex(where: { $0.id == id }) else { return false }
        all[place].attachment = attachment
        return true
    }

    /// No renderer has them any more.
    mutating func detachAll() {
        for place in all.indices { (all[place].isClaimed, all[place].attachment) = (false, nil) }
    }
}

/// Names a sink of a session.
package struct OutputID: Hashable, Sendable {
    let number: UInt64
}
