// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Anonymous memory shared between processes (`memfd_create`), mapped into this one.
///
/// The other process may access numbers at the same time, so they are read and written atomically: those of 64 and 32
/// bits with the ordering in the function's name, those of 16 bits relaxed. An offset that is out of bounds or
/// misaligned is a bug of the caller and traps; offsets received from another process must be checked first.
///
/// Thread-safety: safe.
@safe package final class SharedMemory: Sendable {
    /// The processes that may write to the memory.
    package enum Writer: Sendable {
        /// Only the process that made the memory, through its mapping: `F_SEAL_FUTURE_WRITE` prevents other writable
        /// mappings and writes to the file.
        case maker
        case everybody
    }

    package let byteCount: Int
    /// Other processes map the memory through this descriptor. It is closed with this object.
    package let descriptor: CInt
    private let isWritable: Bool
    // SAFETY: the mapping lives as long as this object, and its size is sealed. Its content is accessed by atomic
    // operations, or by callers that have agreed with the other process on who may access it.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// Makes zero-filled memory of fixed size.
    ///
    /// - Parameter byteCount: above 0.
    package init(name: String, byteCount: Int, writer: Writer) throws(SystemError) {
        let descriptor = unsafe csystem_sealable_memory_file(name)
        guard descriptor >= 0 else { throw SystemError(in: "memfd_create") }
        do throws(SystemError) {
            guard ftruncate(descriptor, byteCount) == 0 else { throw SystemError(in: "ftruncate") }
            unsafe base = try Self.map(descriptor, byteCount, isWritable: true)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.byteCount = byteCount
        isWritable = true
        guard csystem_seal(descriptor, writer == .maker) == 0 else { throw SystemError(in: "fcntl(F_ADD_SEALS)") }
    }

    /// Maps memory made by another process. Takes ownership of the descriptor, even if it throws.
    ///
    /// - Throws: also if the other process could still shrink the memory, which would make this process crash on
    ///   access.
    package init(mapping descriptor: CInt, isWritable: Bool) throws(SystemError) {
        do throws(SystemError) {
            guard csystem_is_size_sealed(descriptor) else { throw SystemError(EPERM, in: "fcntl(F_GET_SEALS)") }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(in: "fstat") }
            guard status.st_size > 0 else { throw SystemError(EINVAL, in: "fstat") }
            byteCount = Int(status.st_size)
            unsafe base = try Self.map(descriptor, byteCount, isWritable: isWritable)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.isWritable = isWritable
    }

    deinit {
        unsafe munmap(base, byteCount)
        close(descriptor)
    }

    private static func map(
        _ descriptor: CInt,
        _ byteCount: Int,
        isWritable: Bool
    ) throws(SystemError) -> UnsafeMutableRawPointer {
        let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        let address = unsafe mmap(nil, byteCount, protection, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError(in: "mmap") }
        return unsafe address
    }

    // MARK: Numbers

    package func loadAcquiring(_ type: UInt64.Type = UInt64.self, at offset: Int) -> UInt64 {
        unsafe csystem_load_64(place(offset, 8))
    }

    package func loadAcquiring(_ type: UInt32.Type, at offset: Int) -> UInt32 {
        unsafe csystem_load_32(place(offset, 4))
    }

    package func load(_ type: UInt16.Type, at offset: Int) -> UInt16 {
        unsafe csystem_load_16(place(offset, 2))
    }

    package func storeReleasing(_ value: UInt64, at offset: Int) {
        unsafe csystem_store_64(writablePlace(offset, 8), value)
    }

    package func storeReleasing(_ value: UInt32, at offset: Int) {
        unsafe csystem_store_32(writablePlace(offset, 4), value)
    }

    package func store(_ value: UInt16, at offset: Int) {
        unsafe csystem_store_16(writablePlace(offset, 2), value)
    }

    /// A full memory barrier: loads and stores before it are ordered before loads and stores after it.
    package func fence() { csystem_fence() }

    // MARK: Bytes

    package func copy(_ bytes: [UInt8], to offset: Int) {
        precondition(isWritable && offset >= 0 && bytes.count <= byteCount && offset <= byteCount - bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe memcpy(base + offset, start, source.count)
        }
    }

    package func bytes(at offset: Int, count: Int) -> [UInt8] {
        withBytes(at: offset, count: count) { span in
            unsafe [UInt8](unsafeUninitializedCapacity: span.count) { buffer, filled in
                for index in 0..<span.count { unsafe buffer[index] = span[index] }
                filled = span.count
            }
        }
    }

    /// Lends a range. The other process must have agreed not to write to it during the call.
    package func withBytes<Value, Failure: Error>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count)
        let start = unsafe (base + offset).assumingMemoryBound(to: UInt8.self)
        return try body(unsafe UnsafeBufferPointer(start: start, count: count).span)
    }

    /// As `withBytes`, for callers that copy the range.
    package func withRawBytes<Value, Failure: Error>(
        at offset: Int,
        count: Int,
        _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count)
        return try body(unsafe UnsafeRawBufferPointer(start: base + offset, count: count).bytes)
    }

    /// The address of a writable range, valid as long as this object lives.
    @unsafe package func address(of offset: Int, count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(isWritable && offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count)
        return unsafe (base + offset).assumingMemoryBound(to: UInt8.self)
    }

    /// The offset of a range that begins at `address`. `nil` unless the whole range is in this memory.
    @unsafe package func offset(of address: UnsafePointer<UInt8>, count: Int) -> Int? {
        let offset = unsafe Int(bitPattern: address) - Int(bitPattern: base)
        return offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count ? offset : nil
    }

    private func place(_ offset: Int, _ size: Int) -> UnsafeMutableRawPointer {
        precondition(offset >= 0 && offset <= byteCount - size && offset % size == 0, "outside the shared memory")
        return unsafe base + offset
    }

    private func writablePlace(_ offset: Int, _ size: Int) -> UnsafeMutableRawPointer {
        precondition(isWritable, "memory that is mapped for reading")
        return unsafe place(offset, size)
    }
}
