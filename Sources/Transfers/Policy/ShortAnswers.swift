// SPDX-License-Identifier: Apache-2.0

/// Detects a server whose answers are valid but much shorter than requested, so that a source hardly advances although
/// none of its requests fails. Pure.
struct ShortAnswers: Sendable {
    /// The number of consecutive short answers that must deliver `leastBytes` together.
    private static let limit = 16
    private static let leastBytes: Int64 = 16 << 10
    /// The total duration of the requests in which consecutive short answers must deliver `leastBytes` together.
    private static let patience = Duration.seconds(30)

    private var count = 0
    private var byteCount: Int64 = 0
    private var time = Duration.zero

    /// Records a complete answer.
    ///
    /// - Parameters:
    ///   - isShort: whether it was shorter than requested although the resource continues.
    ///   - byteCount: the length of its body, in bytes.
    ///   - time: the duration of the request.
    /// - Returns: whether the latest short answers delivered too little. After a result, counting starts again.
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
