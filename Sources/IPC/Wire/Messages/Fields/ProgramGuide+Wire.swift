// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension ProgramGuide {
    var wire: Proto.ProgramGuide {
        Proto.ProgramGuide(program: UInt32(clamping: program), present: present?.wire, following: following?.wire)
    }

    init(wire: Proto.ProgramGuide) {
        self.init(
            program: Int(wire.program),
            present: wire.present.map(ProgramEvent.init(wire:)),
            following: wire.following.map(ProgramEvent.init(wire:))
        )
    }
}

extension ProgramEvent {
    fileprivate var wire: Proto.ProgramEvent {
        var wire = Proto.ProgramEvent()
        wire.id = UInt32(clamping: id)
        wire.title = title
        wire.text = text
        wire.details = details
        wire.language = language
        wire.startUnixMicroseconds = start ?? 0
        wire.durationMicroseconds = duration?.microseconds ?? 0
        wire.status = status.wire
        return wire
    }

    fileprivate init(wire: Proto.ProgramEvent) {
        self.init(id: Int(wire.id))
        title = wire.title
        text = wire.text
        details = wire.details
        language = wire.language
        start = wire.startUnixMicroseconds == 0 ? nil : wire.startUnixMicroseconds
        duration = wire.durationMicroseconds == 0 ? nil : MediaTime(microseconds: wire.durationMicroseconds)
        status = Status(wire: wire.status)
    }
}

extension ProgramEvent.Status {
    fileprivate var wire: Proto.ProgramEventStatus {
        switch self {
        case .undefined: .undefined
        case .notRunning: .notRunning
        case .startsSoon: .startsSoon
        case .pausing: .pausing
        case .running: .running
        case .offAir: .offAir
        }
    }

    fileprivate init(wire: Proto.ProgramEventStatus) {
        self = Self.allCases.first { $0.wire == wire } ?? .undefined
    }
}
