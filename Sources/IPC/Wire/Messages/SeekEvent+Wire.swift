// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SeekEvent {
    var wire: Proto.SeekEvent {
        var wire = Proto.SeekEvent()
        wire.id = id
        wire.stage = stage.wire
        wire.targetMicroseconds = target.microseconds
        return wire
    }

    /// `nil` for a stage that this build does not know.
    init?(wire: Proto.SeekEvent) {
        guard let stage = Stage.allCases.first(where: { $0.wire == wire.stage }) else { return nil }
        self.init(id: wire.id, stage: stage, target: MediaTime(microseconds: wire.targetMicroseconds))
    }
}

extension SeekEvent.Stage {
    fileprivate var wire: Proto.SeekStage {
        switch self {
        case .began: .began
        case .landed: .landed
        case .stalled: .stalled
        case .superseded: .superseded
        case .rejected: .rejected
        }
    }
}
