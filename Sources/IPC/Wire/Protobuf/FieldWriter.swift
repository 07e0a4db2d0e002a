// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// Writes the fields of a message into a struct of protobuf-c, by their numbers in the contract, and packs it.
///
/// Every access is checked against the descriptor of that struct, so code that writes a field as another type stops
/// the process. A message cannot keep or replace the writer that it is given: writers are not copied, and only `pack`
/// makes one.
@safe struct FieldWriter: ~Copyable {
    private var arena = MessageArena()
    /// The struct that is being written, and its layout.
    private var message: UnsafeMutableRawPointer
    private var layout: MessageLayout

    private init(_ layout: MessageLayout) {
        unsafe message = layout.allocate(in: &arena)
        self.layout = layout
    }

    /// Packs a message after a prefix of `room` bytes.
    ///
    /// - Parameter prefix: returns the prefix, given the size of the packed message.
    static func pack<Message: ProtobufMessage>(
        _ message: Message,
        room: Int,
        prefix: (Int) -> [UInt8]
    ) -> [UInt8] {
        var writer = FieldWriter(Message.layout)
        message.write(to: &writer)
        return writer.packed(room: room, prefix: prefix)
    }

    private borrowing func packed(room: Int, prefix: (Int) -> [UInt8]) -> [UInt8] {
        let complete = unsafe message.assumingMemoryBound(to: ProtobufCMessage.self)
        let count = unsafe protobuf_c_message_get_packed_size(complete)
        let prefix = prefix(count)
        return unsafe [UInt8](unsafeUninitializedCapacity: room + count) { buffer, filled in
            for index in 0..<room { unsafe buffer[index] = prefix[index] }
            if let body = unsafe buffer.baseAddress?.advanced(by: room) {
                unsafe protobuf_c_message_pack(complete, body)
            }
            filled = room + count
        }
    }

    mutating func number<Number: FieldNumber>(_ value: Number, at number: UInt32) {
        unsafe set(value, at: layout.field(number, Number.kind))
    }

    mutating func flag(_ value: Bool, at number: UInt32) {
        let flag: protobuf_c_boolean = value ? 1 : 0
        unsafe set(flag, at: layout.field(number, .flag))
    }

    mutating func choice(_ value: some ProtobufEnum, at number: UInt32) {
        unsafe set(value.rawValue, at: layout.field(number, .choice))
    }

    mutating func text(_ value: String, at number: UInt32) {
        let field = layout.field(number, .text)
        // A field that is not set points to protobuf-c's empty default, which is omitted, even in a oneof. An empty
        // text in a oneof must be sent, so it gets memory of its own.
        if value.isEmpty, !field.isInOneof { return }
        unsafe set(arena.text(value), at: field)
    }

    mutating func data(_ value: [UInt8], at number: UInt32) {
        let field = layout.field(number, .data)
        unsafe set(arena.data(value), at: field)
    }

    /// Leaves the field unset if there is no message.
    mutating func message<Message: ProtobufMessage>(_ value: Message?, at number: UInt32) {
        let field = layout.field(number, .message)
        guard let value else { return }
        unsafe set(nested(value, in: field), at: field)
    }

    mutating func numbers<Number: FieldNumber>(_ values: [Number], at number: UInt32) {
        unsafe setAll(values, at: layout.field(number, Number.kind, isRepeated: true)) { value, _ in value }
    }

    mutating func choices<Choice: ProtobufEnum>(_ values: [Choice], at number: UInt32) {
        unsafe setAll(values, at: layout.field(number, .choice, isRepeated: true)) { value, _ in value.rawValue }
    }

    mutating func texts(_ values: [String], at number: UInt32) {
        let field = layout.field(number, .text, isRepeated: true)
        unsafe setAll(values, at: field) { value, writer in unsafe writer.arena.text(value) }
    }

    mutating func datas(_ values: [[UInt8]], at number: UInt32) {
        let field = layout.field(number, .data, isRepeated: true)
        unsafe setAll(values, at: field) { value, writer in unsafe writer.arena.data(value) }
    }

    mutating func messages<Message: ProtobufMessage>(_ values: [Message], at number: UInt32) {
        let field = layout.field(number, .message, isRepeated: true)
        unsafe setAll(values, at: field) { value, writer in unsafe writer.nested(value, in: field) }
    }

    /// Writes a message in a field, and returns its struct. Not inlined: callers would otherwise contain a copy of each
    /// message's `write`.
    @inline(never)
    private mutating func nested(_ value: some ProtobufMessage, in field: FieldLayout) -> UnsafeMutableRawPointer {
        guard let layout = field.message else { preconditionFailure("a field of messages has their layout") }
        let outer = unsafe (message, self.layout)
        let inner = unsafe layout.allocate(in: &arena)
        unsafe (message, self.layout) = (inner, layout)
        value.write(to: &self)
        unsafe (message, self.layout) = outer
        return unsafe inner
    }

    /// `Value` must be the form in which protobuf-c stores the field.
    @unsafe private func set<Value: BitwiseCopyable>(_ value: Value, at field: FieldLayout) {
        if field.isInOneof { unsafe store(field.number, field.quantifierOffset) }
        unsafe store(value, field.offset)
    }

    /// `Stored` must be the form in which protobuf-c stores each value of the field.
    @unsafe private mutating func setAll<Value, Stored: BitwiseCopyable>(
        _ values: [Value],
        at field: FieldLayout,
        _ make: (Value, inout FieldWriter) -> Stored
    ) {
        guard !values.isEmpty else { return }
        let stored = unsafe arena.allocate(Stored.self, count: values.count)
        for index in values.indices {
            unsafe stored.advanced(by: index).initialize(to: make(values[index], &self))
        }
        unsafe store(values.count, field.quantifierOffset)
        unsafe store(stored, field.offset)
    }

    @unsafe private func store<Value: BitwiseCopyable>(_ value: Value, _ offset: Int) {
        unsafe message.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = value
    }
}
