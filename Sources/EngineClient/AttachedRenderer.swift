// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

/// A renderer's place in a session: it hears what it is to do and says how it is doing.
///
/// While it reports, the session's clock follows it. Letting go of it, `detach`, and the end of the process all give the
/// clock back to the engine.
///
/// Thread-safety: safe; `commands` is iterated by one task.
public struct AttachedRenderer: Sendable {
    /// What it is to do, in order, beginning with `load`.
    public let commands: RendererCommandSequence
    private let call: CallHandle

    init(call: CallHandle) {
        self.call = call
        commands = RendererCommandSequence(call: call)
    }

    /// Says how playback stands. Say it whenever something jumps, and now and then while the playhead moves.
    ///
    /// Returns once there is room for another report. Without effect when the attachment has ended: `commands` says why.
    public func report(_ report: RendererReport) async {
        await call.send(RenderRequest.report(report).framed())
    }

    /// Gives the place up; `commands` then ends.
    public func detach() { call.sendEnd() }
}

extension EngineClient {
    /// Attaches a front-end that plays a session's HLS by itself (`Render`).
    ///
    /// Whether the engine takes it is told by the first element of `commands`: a command, or what it throws.
    public func attach(_ offer: RendererOffer) async -> AttachedRenderer {
        let request = RenderRequest.attach(offer).framed()
        let call = await call("/engine.v1.Engine/Render", request, isComplete: false, timeout: nil)
        return AttachedRenderer(call: call)
    }
}
