// SPDX-License-Identifier: Apache-2.0

/// Detects a server whose answers are valid but much shorter than requested, so that a source never gets anywhere
/// although none of its requests fails. Pure.
struct ShortAnswers: Sendable {
    /// The consecutive short answers that must bring `leastBytes` together.
    private static let limit = 16
    private static let leastBytes: Int64 = 16 << 10
    /// The time in which short answers must bring `leastBytes` together, counting only the requests themselves.
    private static let patience = Duration.seconds(30)

    private var count = 0
    private var byteCount: Int64 = 0
    private var time = Duration.zero

    /// Records a complete answer.
    ///
    /// - Parameters:
    ///   - isShort: whether it was shorter than requested although the resource continues.
    ///   - byteCount: the length of its body.
    ///   - time: the duration of the request.
    /// - Returns: whether the latest short answers brought too little. Their count then begins again.
    mutating func add(isShort: Bool, byteCount: Int64, time: Duration) -> Bool {
        guard isShort else {
            self = ShortAnswers()
            return false
        }
        count += 1
        self.byteCount += byteCount
        self.time += time
        guard count >= Self.limit || self.time >= Self.patience else { return false }
        defer { self = ShortAnswers() }
        return self.byteCount < Self.leastBytes
    }
}
