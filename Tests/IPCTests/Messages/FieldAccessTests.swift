// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Wire

/// The signal with which a failed precondition ends a process.
#if arch(x86_64)
private let stop = ExitTest.Condition.signal(SIGILL)
#else
private let stop = ExitTest.Condition.signal(SIGTRAP)
#endif

@Suite("Access to the fields of protobuf-c's structs")
struct FieldAccessTests {
    @Test("a field is found by its number, even after a gap")
    func numbers() {
        let layout = Proto.SessionState.layout
        let numbers = (0...100 as ClosedRange<UInt32>).filter { layout.field($0) != nil }
        #expect(numbers == Array(1...34) + Array(40...47))
        #expect(numbers.allSatisfy { layout.field($0)?.number == $0 })
        #expect(layout.field(1)?.name == "session_id")
        #expect(layout.field(40)?.name == "adjustments")
        #expect(layout.field(.max) == nil)
    }

    @Test("a member of a oneof is written even if it has the default value")
    func defaults() throws {
        let cases: [(Proto.BurnedSubtitles.Choice, [UInt8])] = [
            (.track(0), [0x08, 0]), (.number(0), [0x10, 0]), (.language(""), [0x1A, 0]),
        ]
        for (choice, bytes) in cases {
            #expect(Proto.BurnedSubtitles(choice: choice).packed() == bytes)
            #expect(try Proto.BurnedSubtitles(bytes).choice == choice)
        }
    }

    @Test("if several members of a oneof are sent, the last counts")
    func lastMember() throws {
        #expect(try Proto.BurnedSubtitles([0x1A, 1, 0x65, 0x10, 7]).choice == .number(7))
        #expect(try Proto.BurnedSubtitles([0x10, 7, 0x1A, 1, 0x65]).choice == .language("e"))
    }

    @Test("texts of any length are written whole", arguments: [1, 15, 16, 4095, 4096, 4097, 100_000])
    func lengths(count: Int) throws {
        var request = Proto.LoadRequest()
        request.source = String(repeating: "ä", count: count)
        request.requestID = "last"
        request.httpHeaders = ["first", "second"].map { Proto.HttpHeader(name: $0, value: request.source) }
        #expect(try Proto.LoadRequest(request.packed()) == request)
    }

    @Test("an access that fits the field succeeds")
    func fitting() throws {
        let choice = try Choice([0x08, 7])
        #expect(choice.isFirst && !choice.isSecond && choice.number == 7)
        #expect(Mistaken().packed() == [0x0A, 1, 0x61])
    }

    @Test("reading a field in a wrong way stops the process", arguments: Mistake.allCases)
    func reading(_ mistake: Mistake) async {
        await #expect(processExitsWith: stop) { [mistake] in
            mistake.read(unpacked([], as: Mistaken.layout))
        }
    }

    @Test("writing a field in a wrong way stops the process", arguments: Mistake.allCases)
    func writing(_ mistake: Mistake) async {
        await #expect(processExitsWith: stop) { [mistake] in _ = Mistaken(mistake).packed() }
    }

    @Test("reading a member of a oneof that is not set stops the process")
    func memberNotSet() async {
        await #expect(processExitsWith: stop) {
            _ = unpacked([0x08, 7], as: Proto.BurnedSubtitles.layout).text(at: 3)
        }
    }
}

/// Unpacks a message, which is not freed because the process ends.
private func unpacked(_ bytes: [UInt8], as layout: MessageLayout) -> FieldReader {
    guard let message = unsafe layout.unpack(bytes) else { exit(1) }
    return unsafe FieldReader(message)
}

/// A wrong way to access the fields of `LoadRequest`.
enum Mistake: Int, CaseIterable, Codable {
    case textAsNumber, textAsData, textAsTexts, numberAsText, numberAsUnsigned, messageAsText, messagesAsMessage
    case noSuchField

    func read(_ reader: borrowing FieldReader) {
        switch self {
        case .textAsNumber: _ = reader.number(at: 1) as UInt64
        case .textAsData: _ = reader.data(at: 1)
        case .textAsTexts: _ = reader.texts(at: 1)
        case .numberAsText: _ = reader.text(at: 2)
        case .numberAsUnsigned: _ = reader.number(at: 2) as UInt64
        case .messageAsText: _ = reader.text(at: 3)
        case .messagesAsMessage: _ = reader.message(at: 5) as Proto.HttpHeader?
        case .noSuchField: _ = reader.text(at: 9)
        }
    }

    func write(to writer: inout FieldWriter) {
        switch self {
        case .textAsNumber: writer.number(1 as UInt64, at: 1)
        case .textAsData: writer.data([1], at: 1)
        case .textAsTexts: writer.texts(["a"], at: 1)
        case .numberAsText: writer.text("a", at: 2)
        case .numberAsUnsigned: writer.number(1 as UInt64, at: 2)
        case .messageAsText: writer.text("a", at: 3)
        case .messagesAsMessage: writer.message(Proto.HttpHeader(), at: 5)
        case .noSuchField: writer.text("a", at: 9)
        }
    }
}

/// Reads only the choice of `BurnedSubtitles`.
private struct Choice: ProtobufMessage {
    static var layout: MessageLayout { Proto.BurnedSubtitles.layout }

    var isFirst = false
    var isSecond = false
    var number: UInt32 = 0

    init() {}

    init(reading reader: borrowing FieldReader) {
        (isFirst, isSecond, number) = (reader.isSet(at: 1), reader.isSet(at: 2), reader.number(at: 1))
    }

    func write(to writer: inout FieldWriter) {}
}

/// Writes the source of a `LoadRequest` or, with a mistake, a field in a wrong way.
private struct Mistaken: ProtobufMessage {
    static var layout: MessageLayout { Proto.LoadRequest.layout }

    var mistake: Mistake?

    init() {}

    init(_ mistake: Mistake) { self.mistake = mistake }

    init(reading reader: borrowing FieldReader) {}

    func write(to writer: inout FieldWriter) {
        if let mistake { mistake.write(to: &writer) } else { writer.text("a", at: 1) }
    }
}
