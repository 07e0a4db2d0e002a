// Generated from engine/v1/programs.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct Program: Equatable, Sendable {
        var number: UInt32 = 0
        var name: String = ""
        var provider: String = ""
        var clockPid: UInt32 = 0
        var mapPid: UInt32 = 0
        var streams: [UInt32] = []
    }
}

extension Proto.Program: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Program>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__program__init(pointer.assumingMemoryBound(to: Engine__V1__Program.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Program.self)
        number = unsafe c.pointee.number
        name = unsafe readText(c.pointee.name)
        provider = unsafe readText(c.pointee.provider)
        clockPid = unsafe c.pointee.clock_pid
        mapPid = unsafe c.pointee.map_pid
        streams = unsafe readNumbers(c.pointee.streams, c.pointee.n_streams)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Program.self)
        unsafe c.pointee.number = number
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.provider = arena.text(provider)
        unsafe c.pointee.clock_pid = clockPid
        unsafe c.pointee.map_pid = mapPid
        unsafe c.pointee.n_streams = streams.count
        unsafe c.pointee.streams = arena.numbers(streams)
    }
}

extension Proto {
    struct ProgramSelection: Equatable, Sendable {
        enum Wanted: Equatable, Sendable {
            case number(UInt32)
            case name(String)
        }

        var wanted: Wanted?
    }
}

extension Proto.ProgramSelection: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ProgramSelection>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__program_selection__init(pointer.assumingMemoryBound(to: Engine__V1__ProgramSelection.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ProgramSelection.self)
        switch unsafe c.pointee.wanted_case {
        case ENGINE__V1__PROGRAM_SELECTION__WANTED_NUMBER:
            wanted = .number(unsafe c.pointee.number)
        case ENGINE__V1__PROGRAM_SELECTION__WANTED_NAME:
            wanted = .name(unsafe readText(c.pointee.name))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ProgramSelection.self)
        switch wanted {
        case .number(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__PROGRAM_SELECTION__WANTED_NUMBER
            unsafe c.pointee.number = value
        case .name(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__PROGRAM_SELECTION__WANTED_NAME
            unsafe c.pointee.name = arena.text(value)
        case nil: break
        }
    }
}
