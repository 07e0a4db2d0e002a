// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The properties of a resource as its server states them, and conclusions about its end while no length is stated.
/// Pure.
///
/// A server may refuse a range beyond the end without stating the length (416 without `Content-Range`). This proves
/// only that the resource ends at or before the offset of the range. The length is known once the bytes up to such an
/// offset have been received.
struct KnownResource: Sendable {
    private(set) var state = ResourceState()
    /// The end of the farthest bytes received. The resource is at least this long.
    private var reached: Int64 = 0
    /// The lowest offset that the server has refused without stating the length. The resource is at most this long.
    private var bound: Int64?
    private var unrangedResponses = UnrangedResponses()
    /// `nil` for a resource that nobody was writing when it was opened.
    private(set) var recording: FileRecording?

    /// The value of `If-Range`: with it, the server responds with 200 if the resource has changed.
    var validator: String? { unrangedResponses.ignoresConditions ? nil : state.tag }

    /// The length, or an offset at and after which there are no bytes. `nil` if neither is known.
    var end: Int64? { state.byteCount ?? bound }

    /// Whether it is certain that there is no byte at an offset.
    func endsBefore(_ offset: Int64) -> Bool { end.map { offset >= $0 } ?? false }

    /// The request for a range.
    ///
    /// - Parameters:
    ///   - isRanged: whether the server supports ranges. If not, `range` is the whole resource.
    ///   - original: the request without a range.
    func request(_ range: Range<Int64>, isRanged: Bool, by original: TransferRequest) -> TransferRequest {
        var request = original
        request.range = isRanged ? .bytes(range) : .whole
        request.validator = isRanged ? validator : nil
        request.fileByteCount = state.byteCount
        request.byteLimit = isRanged && state.byteCount == nil ? .max : Int64(range.count)
        return request
    }

    /// Judges a response to a range request.
    ///
    /// - Parameter failures: see `RunningFetches.Fetch.failures`.
    mutating func response(_ head: TransferHead, to asked: RequestedRange, begunAfter failures: Int) -> RangeResponse {
        if recording != nil { return response(ofRecording: head, to: asked) }
        let alone = RangeResponse(head, to: asked, known: state)
        let response = unrangedResponses.judge(alone, head, known: state, begunAfter: failures)
        guard case .pastEnd(let found) = response, state.byteCount == nil else { return response }
        if let length = found.byteCount { return length < reached ? .changed(found) : response }
        // The server has sent bytes beyond the start of the range that it refuses now.
        if case .bytes(let range) = asked, range.lowerBound < reached { return .refused(416, retryAfter: nil) }
        return response
    }

    /// Judges a response to a range request for a file that was being written when it was opened. Such a file may have
    /// another length and time in each response, as long as it is not shorter.
    private func response(ofRecording head: TransferHead, to asked: RequestedRange) -> RangeResponse {
        switch RangeResponse(head, to: asked, known: ResourceState()) {
        case .part(let range, _): .part(range, state)
        case .pastEnd(let found): .changed(found)
        case let other: other
        }
    }

    /// Treats a file that was written to recently as a recording. Parameters as for `FileRecording`.
    mutating func record(quiet: Duration, wall: Int64, now: Int64) {
        recording = FileRecording(state, quiet: quiet, wall: wall, now: now)
    }

    /// From now on, a recording grows.
    mutating func followRecording() { recording?.follow() }

    /// Records what the server says of a recording now.
    ///
    /// - Returns: `false` if it is shorter than before, and therefore another file.
    mutating func update(_ found: ResourceState, now: Int64) -> Bool {
        guard let byteCount = found.byteCount, let known = state.byteCount, recording?.isGrowing == true else {
            return true
        }
        guard byteCount >= known else { return false }
        recording?.update(byteCount: byteCount, now: now)
        state = found
        return true
    }

    mutating func endRecording() { recording?.end() }

    /// Fills in unknown values from a response that agrees.
    mutating func merge(_ found: ResourceState) { state = state.merged(with: found) }

    mutating func received(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        reached = max(reached, range.upperBound)
        // Bytes beyond a refused offset show that the refusal was wrong.
        if let bound, reached > bound { self.bound = nil }
        settle()
    }

    /// Records that the server has refused a range as lying beyond the end.
    ///
    /// - Parameters:
    ///   - offset: the start of the range.
    ///   - found: the properties that the response states.
    mutating func refused(at offset: Int64, _ found: ResourceState) {
        merge(found)
        bound = min(bound ?? offset, offset)
        settle()
    }

    /// Forgets what earlier ranges have shown, because the whole resource is received from its start.
    mutating func forgetRanges() {
        (reached, bound) = (0, nil)
        unrangedResponses.forget()
    }

    /// Ends the resource at an offset.
    mutating func finish(at offset: Int64?) { state.byteCount = offset }

    private mutating func settle() { if state.byteCount == nil, bound == reached { state.byteCount = bound } }
}
