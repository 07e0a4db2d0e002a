// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// Memory for the C structs of one message while it is built and packed.
///
/// All allocations live as long as the arena. It deinitializes no values, so only trivial types are allowed.
@safe struct MessageArena: ~Copyable {
    private static let chunkByteCount = 4096

    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    private var free: UnsafeMutableRawPointer?
    private var freeByteCount = 0

    init() {}

    deinit {
        unsafe chunks.forEach { unsafe $0.deallocate() }
    }

    /// Writes a C string. A NUL in the text ends it, because protobuf-c stores no length.
    mutating func text(_ text: String) -> UnsafeMutablePointer<CChar> {
        let utf8 = text.utf8.span
        let pointer = unsafe allocate(CChar.self, count: utf8.count + 1)
        unsafe utf8.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: pointer, count: bytes.count).copyMemory(from: bytes)
        }
        unsafe pointer[utf8.count] = 0
        return unsafe pointer
    }

    /// Writes the content of a `bytes` field.
    mutating func data(_ bytes: [UInt8]) -> ProtobufCBinaryData {
        guard !bytes.isEmpty else { return unsafe ProtobufCBinaryData() }
        let pointer = unsafe allocate(UInt8.self, count: bytes.count)
        unsafe pointer.initialize(from: bytes, count: bytes.count)
        return unsafe ProtobufCBinaryData(len: bytes.count, data: pointer)
    }

    mutating func allocate<Value: BitwiseCopyable>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
        unsafe allocate(byteCount: MemoryLayout<Value>.stride * count).bindMemory(to: Value.self, capacity: count)
    }

    /// Allocates memory that is aligned to 16 bytes.
    mutating func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
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
