// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension SeekEvent {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__SeekEvent> {
        let wire = unsafe arena.message(Engine__V1__SeekEvent.self)
        unsafe wire.pointee.id = id
        unsafe wire.pointee.stage = stage.wire
        unsafe wire.pointee.target_us = target.microseconds
        return unsafe wire
    }

    /// `nil` for a stage that this build does not know.
    init?(wire: Engine__V1__SeekEvent) {
        guard let stage = Stage.allCases.first(where: { unsafe $0.wire == wire.stage }) else { return nil }
        unsafe self.init(id: wire.id, stage: stage, target: MediaTime(microseconds: wire.target_us))
    }
}

extension SeekEvent.Stage {
    fileprivate var wire: Engine__V1__SeekStage {
        switch self {
        case .began: ENGINE__V1__SEEK_STAGE__SEEK_STAGE_BEGAN
        case .landed: ENGINE__V1__SEEK_STAGE__SEEK_STAGE_LANDED
        case .stalled: ENGINE__V1__SEEK_STAGE__SEEK_STAGE_STALLED
        case .superseded: ENGINE__V1__SEEK_STAGE__SEEK_STAGE_SUPERSEDED
        case .rejected: ENGINE__V1__SEEK_STAGE__SEEK_STAGE_REJECTED
        }
    }
}
