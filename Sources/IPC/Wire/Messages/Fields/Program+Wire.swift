// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Program {
    var wire: Proto.Program {
        var wire = Proto.Program()
        wire.number = UInt32(clamping: number)
        wire.name = name
        wire.provider = provider
        wire.clockPid = UInt32(clamping: clockPID ?? 0)
        wire.mapPid = UInt32(clamping: mapPID)
        wire.streams = streams.map { UInt32(clamping: $0) }
        return wire
    }

    init(wire: Proto.Program) {
        self.init(number: Int(wire.number))
        name = wire.name
        provider = wire.provider
        clockPID = wire.clockPid == 0 ? nil : Int(wire.clockPid)
        mapPID = Int(wire.mapPid)
        streams = wire.streams.map { Int($0) }
    }
}

extension ProgramSelection {
    /// An absent or empty selection means `automatic`.
    init(wire: Proto.ProgramSelection?) throws(EngineError) {
        switch wire?.wanted {
        case .number(let number):
            guard (1...0xFFFF).contains(number) else { throw .invalid("program.number", "must be 1 … 65535") }
            self = .number(Int(number))
        case .name(let name):
            if name.isEmpty { throw .invalid("program.name", "is empty") }
            self = .name(name)
        case nil: self = .automatic
        }
    }

    var wire: Proto.ProgramSelection? {
        switch self {
        case .automatic: nil
        case .number(let number): Proto.ProgramSelection(wanted: .number(UInt32(clamping: number)))
        case .name(let name): Proto.ProgramSelection(wanted: .name(name))
        }
    }
}
