// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// A renderer attached to a session: receives commands and sends reports.
///
/// While it reports, the session's clock follows it. The engine takes the clock back when the last copy is released, on
/// `detach`, and when the process ends.
///
/// Thread-safety: safe; `commands` is iterated by one task.
public struct AttachedRenderer: Sendable {
    /// The commands for the renderer, in order, starting with `load`.
    public let commands: RendererCommandSequence
    private let call: CallHandle

    init(call: CallHandle) {
        self.call = call
        commands = RendererCommandSequence(call: call)
    }

    /// Reports the playback state. Call it on every jump, and regularly while the playhead moves.
    ///
    /// Returns once there is room for another report. Has no effect after the attachment has ended; `commands` then
    /// ends or throws the reason.
    public func report(_ report: RendererReport) async {
        await call.send(RenderRequest.report(report).framed())
    }

    /// Ends the attachment; `commands` then ends.
    public func detach() { call.sendEnd() }
}

extension EngineClient {
    /// Attaches a front-end that plays a session's HLS itself (`Render`).
    ///
    /// The first element of `commands` shows whether the engine accepts the renderer: it is a command, or `commands`
    /// throws.
    public func attach(_ offer: RendererOffer) async -> AttachedRenderer {
        let request = RenderRequest.attach(offer).framed()
        let call = await channel.call("/engine.v1.Engine/Render", request, isComplete: false, timeout: nil)
        return AttachedRenderer(call: call)
    }
}
