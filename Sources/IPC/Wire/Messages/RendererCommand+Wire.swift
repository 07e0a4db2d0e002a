// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension RendererCommand {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__RenderCommand.self)
            unsafe wire.pointee.number = number
            switch action {
            case .load(let url, let position):
                let load = unsafe arena.message(Engine__V1__RenderLoad.self)
                unsafe load.pointee.url = arena.string(url)
                unsafe load.pointee.position_us = position.microseconds
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_LOAD
                unsafe wire.pointee.load = load
            case .play:
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_PLAY
                unsafe wire.pointee.play = arena.message(Engine__V1__RenderPlay.self)
            case .pause:
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_PAUSE
                unsafe wire.pointee.pause = arena.message(Engine__V1__RenderPause.self)
            case .seek(let id, let position):
                let seek = unsafe arena.message(Engine__V1__RenderSeek.self)
                unsafe seek.pointee.id = id
                unsafe seek.pointee.position_us = position.microseconds
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_SEEK
                unsafe wire.pointee.seek = seek
            case .rate(let rate):
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_RATE
                unsafe wire.pointee.rate = rate
            case .volume(let volume):
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_VOLUME
                unsafe wire.pointee.volume = volume
            case .muted(let isMuted):
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_MUTED
                unsafe wire.pointee.muted = isMuted ? 1 : 0
            case .stop:
                unsafe wire.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_STOP
                unsafe wire.pointee.stop = arena.message(Engine__V1__RenderStop.self)
            }
            return unsafe wire
        }
    }

    /// `nil` for a command that this build does not know.
    package static func decoded(_ bytes: [UInt8]) throws(EngineError) -> RendererCommand? {
        try unsafe decode(bytes, as: Engine__V1__RenderCommand.self, fieldLimit: .max) { wire throws(EngineError) in
            unsafe Action(wire: wire).map { unsafe RendererCommand(number: wire.number, action: $0) }
        }
    }
}

extension RendererCommand.Action {
    fileprivate init?(wire: Engine__V1__RenderCommand) {
        switch unsafe wire.command_case {
        case ENGINE__V1__RENDER_COMMAND__COMMAND_LOAD:
            guard let load = unsafe wire.load?.pointee else { return nil }
            self = unsafe .load(url: text(load.url), position: MediaTime(microseconds: load.position_us))
        case ENGINE__V1__RENDER_COMMAND__COMMAND_PLAY: self = .play
        case ENGINE__V1__RENDER_COMMAND__COMMAND_PAUSE: self = .pause
        case ENGINE__V1__RENDER_COMMAND__COMMAND_SEEK:
            guard let seek = unsafe wire.seek?.pointee else { return nil }
            self = unsafe .seek(id: seek.id, position: MediaTime(microseconds: seek.position_us))
        case ENGINE__V1__RENDER_COMMAND__COMMAND_RATE: self = unsafe .rate(wire.rate)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_VOLUME: self = unsafe .volume(wire.volume)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_MUTED: self = unsafe .muted(wire.muted != 0)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_STOP: self = .stop
        default: return nil
        }
    }
}
