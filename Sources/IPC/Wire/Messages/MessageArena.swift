// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// Memory for the C structs of one message while it is built and packed. All of it is freed at once.
///
/// All allocations live as long as the arena. Values are not deinitialized individually, so only trivial types are
/// allowed.
@safe final class MessageArena {
    private static let chunkByteCount = 4096

    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    private var free: UnsafeMutableRawPointer?
    private var freeByteCount = 0

    init() {}

    deinit {
        unsafe chunks.forEach { unsafe $0.deallocate() }
    }

    /// A message with every field at its default, descriptor included.
    func message<Message: ProtobufMessage>(_ type: Message.Type) -> UnsafeMutablePointer<Message> {
        let pointer = unsafe allocate(Message.self, count: 1)
        unsafe Message.initialize(pointer)
        return unsafe pointer
    }

    /// A C string. Text containing a NUL ends there: protobuf-c stores no length.
    func string(_ text: String) -> UnsafeMutablePointer<CChar> {
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

    /// A C array. `nil` if `elements` is empty.
    func array<Source: Collection, Element>(
        _ elements: Source,
        _ make: (Source.Element) -> Element
    ) -> UnsafeMutablePointer<Element>? {
        guard !elements.isEmpty else { return nil }
        let pointer = unsafe allocate(Element.self, count: elements.count)
        for (index, element) in elements.enumerated() {
            unsafe pointer.advanced(by: index).initialize(to: make(element))
        }
        return unsafe pointer
    }

    private func allocate<Value>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
        let size = (MemoryLayout<Value>.stride * count + 15) & ~15
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
        return unsafe start.bindMemory(to: Value.self, capacity: count)
    }
}
