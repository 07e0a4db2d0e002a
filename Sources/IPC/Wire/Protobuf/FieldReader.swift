// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// Reads the fields of a message that protobuf-c has unpacked, by their numbers in the contract.
///
/// Every access is checked against the descriptor that the message itself refers to, so code that reads a field as
/// another type stops the process. A message cannot keep the reader that it is given: readers are not copied.
@safe struct FieldReader: ~Copyable {
    private let message: UnsafeRawPointer

    private var layout: MessageLayout {
        unsafe MessageLayout(message.assumingMemoryBound(to: ProtobufCMessage.self).pointee.descriptor)
    }

    /// - Parameter message: a struct that protobuf-c has initialized, so that it begins with its `ProtobufCMessage`. It
    ///   must live longer than the reader.
    init(_ message: UnsafeRawPointer) { unsafe self.message = message }

    /// Whether a field of a oneof is the one that is set. Only then may it be read.
    func isSet(at number: UInt32) -> Bool {
        guard let field = layout.field(number), field.isInOneof else {
            preconditionFailure("no oneof has a field of this number")
        }
        return isSet(field)
    }

    func number<Number: FieldNumber>(at number: UInt32) -> Number { unsafe value(number, Number.kind) }

    func flag(at number: UInt32) -> Bool {
        let flag: protobuf_c_boolean = unsafe value(number, .flag)
        return flag != 0
    }

    func choice<Choice: ProtobufEnum>(at number: UInt32) -> Choice {
        Choice(rawValue: unsafe value(number, .choice))
    }

    func text(at number: UInt32) -> String { unsafe Self.text(value(number, .text)) }

    func data(at number: UInt32) -> [UInt8] { unsafe Self.data(value(number, .data)) }

    /// `nil` if the message is not set.
    func message<Message: ProtobufMessage>(at number: UInt32) -> Message? {
        let nested: UnsafeRawPointer? = unsafe value(number, .message)
        guard let nested = unsafe nested else { return nil }
        return unsafe Self.nested(nested)
    }

    func numbers<Number: FieldNumber>(at number: UInt32) -> [Number] { unsafe Array(values(number, Number.kind)) }

    func choices<Choice: ProtobufEnum>(at number: UInt32) -> [Choice] {
        unsafe values(number, .choice).map { Choice(rawValue: $0) }
    }

    func texts(at number: UInt32) -> [String] { unsafe values(number, .text).map { unsafe Self.text($0) } }

    func datas(at number: UInt32) -> [[UInt8]] { unsafe values(number, .data).map { unsafe Self.data($0) } }

    func messages<Message: ProtobufMessage>(at number: UInt32) -> [Message] {
        unsafe values(number, .message).map { unsafe Self.nested($0) }
    }

    /// Reads a message in a field. Not inlined: callers would otherwise contain a copy of each message's initializer.
    @inline(never)
    private static func nested<Message: ProtobufMessage>(_ message: UnsafeRawPointer) -> Message {
        unsafe Message(reading: FieldReader(message))
    }

    /// The value of a field. `Value` must be the form that `kind` stands for.
    @unsafe private func value<Value: BitwiseCopyable>(_ number: UInt32, _ kind: FieldKind) -> Value {
        let field = layout.field(number, kind, isRepeated: false)
        precondition(!field.isInOneof || isSet(field), "another field of the oneof is set")
        return unsafe load(field.offset)
    }

    /// The values of a repeated field, in memory that belongs to the message. `Value` as above.
    @unsafe private func values<Value: BitwiseCopyable>(
        _ number: UInt32,
        _ kind: FieldKind
    ) -> UnsafeBufferPointer<Value> {
        let field = layout.field(number, kind, isRepeated: true)
        let count: Int = unsafe load(field.quantifierOffset)
        return unsafe UnsafeBufferPointer(start: load(field.offset), count: count)
    }

    private func isSet(_ field: FieldLayout) -> Bool {
        let number: UInt32 = unsafe load(field.quantifierOffset)
        return number == field.number
    }

    @unsafe private func load<Value: BitwiseCopyable>(_ offset: Int) -> Value {
        unsafe message.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }

    private static func text(_ text: UnsafePointer<CChar>) -> String {
        unsafe text.pointee == 0 ? "" : String(cString: text)
    }

    private static func data(_ data: ProtobufCBinaryData) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
    }
}
