// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension RendererCommand {
    package func framed() -> [UInt8] {
        Proto.RenderCommand(number: number, command: action.wire).framed()
    }

    /// `nil` for a command that this build does not know.
    package static func decoded(_ bytes: [UInt8]) throws(EngineError) -> RendererCommand? {
        let wire = try Proto.RenderCommand(bytes, fieldLimit: .max)
        return Action(wire: wire.command).map { RendererCommand(number: wire.number, action: $0) }
    }
}

extension RendererCommand.Action {
    fileprivate var wire: Proto.RenderCommand.Command {
        switch self {
        case .load(let url, let position):
            .load(Proto.RenderLoad(url: url, positionMicroseconds: position.microseconds))
        case .play: .play(Proto.RenderPlay())
        case .pause: .pause(Proto.RenderPause())
        case .seek(let id, let position):
            .seek(Proto.RenderSeek(id: id, positionMicroseconds: position.microseconds))
        case .rate(let rate): .rate(rate)
        case .volume(let volume): .volume(volume)
        case .muted(let isMuted): .muted(isMuted)
        case .stop: .stop(Proto.RenderStop())
        }
    }

    fileprivate init?(wire: Proto.RenderCommand.Command?) {
        switch wire {
        case .load(let load):
            self = .load(url: load.url, position: MediaTime(microseconds: load.positionMicroseconds))
        case .play: self = .play
        case .pause: self = .pause
        case .seek(let seek):
            self = .seek(id: seek.id, position: MediaTime(microseconds: seek.positionMicroseconds))
        case .rate(let rate): self = .rate(rate)
        case .volume(let volume): self = .volume(volume)
        case .muted(let isMuted): self = .muted(isMuted)
        case .stop: self = .stop
        case nil: return nil
        }
    }
}
