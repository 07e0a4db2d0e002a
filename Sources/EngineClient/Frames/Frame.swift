// SPDX-License-Identifier: Apache-2.0

/// A frame in the engine's shared memory. Its contents do not change while this object exists. Releasing the object
/// frees the frame's slot in the ring.
///
/// Thread-safety: safe.
public final class Frame: Sendable {
    /// 1 for the first frame of the attachment, then counting up. Continues when a larger ring replaces the first.
    public let sequence: UInt64
    let generation: UInt64
    public let description: FrameDescription
    private let memory: FrameMemory
    private let slot: Int
    private let onRelease: @Sendable () -> Void

    init(
        _ memory: FrameMemory,
        slot: Int,
        sequence: UInt64,
        generation: UInt64,
        description: FrameDescription,
        onRelease: @escaping @Sendable () -> Void
    ) {
        self.memory = memory
        self.slot = slot
        self.sequence = sequence
        self.generation = generation
        self.description = description
        self.onRelease = onRelease
    }

    deinit {
        memory.release(slot, sequence)
        onRelease()
    }

    func noteShown() { memory.noteShown(sequence) }

    /// Lends the bytes of a plane, row by row at its stride.
    ///
    /// - Precondition: the plane exists.
    public func withPlane<Value, Failure: Error>(
        _ index: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try memory.withBytes(of: description.planes[index], body)
    }
}
