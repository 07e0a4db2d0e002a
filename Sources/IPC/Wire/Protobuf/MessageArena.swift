// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// Memory for the C structs of one message while it is built and packed.
///
/// All allocations live as long as the arena. It deinitializes no values, so only trivial types are allowed.
@safe final class MessageArena {
    private static let chunkByteCount = 4096

    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    private var free: UnsafeMutableRawPointer?
    private var freeByteCount = 0

    init() {}

    deinit {
        unsafe chunks.forEach { unsafe $0.deallocate() }
    }

    /// Writes a message and everything that it refers to. `C` is the message's struct.
    func message<Message: ProtobufMessage, C>(_ message: Message?) -> UnsafeMutablePointer<C>? {
        guard let message else { return nil }
        return unsafe write(message).assumingMemoryBound(to: C.self)
    }

    /// Writes a C string. A NUL in the text ends it, because protobuf-c stores no length.
    func text(_ text: String) -> UnsafeMutablePointer<CChar> {
        let utf8 = text.utf8
        let pointer = unsafe allocate(CChar.self, count: utf8.count + 1)
        var index = 0
        for byte in utf8 {
            unsafe pointer[index] = CChar(bitPattern: byte)
            index += 1
        }
        unsafe pointer[index] = 0
        return unsafe pointer
    }

    /// Writes the content of a `bytes` field.
    func data(_ bytes: [UInt8]) -> ProtobufCBinaryData {
        guard !bytes.isEmpty else { return unsafe ProtobufCBinaryData() }
        let pointer = unsafe allocate(UInt8.self, count: bytes.count)
        unsafe pointer.initialize(from: bytes, count: bytes.count)
        return unsafe ProtobufCBinaryData(len: bytes.count, data: pointer)
    }

    // The next functions write the elements of a repeated field, and return `nil` if there are none.

    func numbers<Number>(_ numbers: [Number]) -> UnsafeMutablePointer<Number>? {
        unsafe array(numbers) { $0 }
    }

    func choices<Choice: ProtobufCEnum>(_ choices: [some ProtobufEnum]) -> UnsafeMutablePointer<Choice>? {
        unsafe array(choices) { Choice(rawValue: $0.rawValue) }
    }

    func texts(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        unsafe array(texts) { unsafe .some(text($0)) }
    }

    func datas(_ pieces: [[UInt8]]) -> UnsafeMutablePointer<ProtobufCBinaryData>? {
        unsafe array(pieces) { unsafe data($0) }
    }

    func messages<Message: ProtobufMessage, C>(
        _ messages: [Message]
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<C>?>? {
        unsafe array(messages) { unsafe .some(write($0).assumingMemoryBound(to: C.self)) }
    }

    /// Writes the struct of a message. It begins with its `ProtobufCMessage`.
    func write<Message: ProtobufMessage>(_ message: Message) -> UnsafeMutableRawPointer {
        let pointer = unsafe allocate(byteCount: Message.size)
        unsafe Message.initialize(pointer)
        unsafe message.write(to: pointer, in: self)
        return unsafe pointer
    }

    private func array<Source, Element>(
        _ elements: [Source],
        _ make: (Source) -> Element
    ) -> UnsafeMutablePointer<Element>? {
        guard !elements.isEmpty else { return nil }
        let pointer = unsafe allocate(Element.self, count: elements.count)
        for (index, element) in elements.enumerated() {
            unsafe pointer.advanced(by: index).initialize(to: make(element))
        }
        return unsafe pointer
    }

    private func allocate<Value>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
        unsafe allocate(byteCount: MemoryLayout<Value>.stride * count).bindMemory(to: Value.self, capacity: count)
    }

    private func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        let size = (byteCount + 15) & ~15
        if size > freeByteCount {
            let chunk = UnsafeMutableRawPointer.allocate(
                byteCount: max(size, Self.chunkByteCount),
                alignment: 16
            )
            unsafe chunks.append(chunk)
            unsafe free = chunk
            freeByteCount = max(size, Self.chunkByteCount)
        }
        guard let start = unsafe free else { preconditionFailure("an arena without a chunk has room for nothing") }
        unsafe free = start.advanced(by: size)
        freeByteCount -= size
        return unsafe start
    }
}
