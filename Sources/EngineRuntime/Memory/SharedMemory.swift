// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Memory without a name that processes share (`memfd_create`), mapped here.
///
/// Numbers in it are read and written as the other side may do at the same time: whole, and in the order that is asked for.
/// A place outside the memory or across its grain is an error of the caller and stops the process; what another process
/// says about places has to be checked before.
///
/// Thread-safety: safe.
@safe package final class SharedMemory: Sendable {
    /// Who may write, beside the one who made it.
    package enum Writer: Sendable {
        /// Nobody: no other mapping of it can be written to, nor the file (`F_SEAL_FUTURE_WRITE`).
        case maker
        case everybody
    }

    package let byteCount: Int
    /// For others to map it. Closed with this object.
    package let descriptor: CInt
    private let isWritable: Bool
    // SAFETY: the mapping lives as long as this object, and its size never changes: it is sealed against that. What is in it
    // is touched by atomic operations, or by callers of `withBytes` who have agreed with the other side on who may.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// Makes memory that is all zero and whose size is fixed.
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

    /// Maps what another process made. Takes the descriptor over, also when it throws.
    ///
    /// - Throws: also where its maker could still make it shorter, which would end this process at the next look.
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

    /// What was stored before is seen before what is stored after, and loads likewise.
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

    /// Lends a stretch. The other side must have agreed not to write to it meanwhile.
    package func withBytes<Value, Failure: Error>(
        at offset: Int,
        count: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count)
        let start = unsafe (base + offset).assumingMemoryBound(to: UInt8.self)
        return try body(unsafe UnsafeBufferPointer(start: start, count: count).span)
    }

    /// The address of a stretch that may be written to, for as long as this object lives.
    @unsafe package func address(of offset: Int, count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(isWritable && offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count)
        return unsafe (base + offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Where a stretch that begins at `address` lies. `nil` where it is not all in this memory.
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
