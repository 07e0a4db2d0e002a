// SPDX-License-Identifier: Apache-2.0

/// A picture where the engine has put it. It stays what it is for as long as this object lives; then its place in the ring is
/// free again.
///
/// Thread-safety: safe.
public final class Frame: Sendable {
    /// 1 for the first of the ring, then one more each.
    public let sequence: UInt64
    let generation: UInt64
    public let description: FrameDescription
    private let memory: FrameMemory
    private let slot: Int
    private let letGo: @Sendable () -> Void

    init(
        _ memory: FrameMemory,
        slot: Int,
        sequence: UInt64,
        generation: UInt64,
        description: FrameDescription,
        letGo: @escaping @Sendable () -> Void
    ) {
        self.memory = memory
        self.slot = slot
        self.sequence = sequence
        self.generation = generation
        self.description = description
        self.letGo = letGo
    }

    deinit {
        memory.release(slot, sequence)
        letGo()
    }

    func noteShown() { memory.noteShown(sequence) }

    /// Lends the bytes of a plane, row after row at its stride.
    ///
    /// - Precondition: there is such a plane.
    public func withPlane<Value, Failure: Error>(
        _ index: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try memory.withBytes(of: description.planes[index], body)
    }
}
