// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Interprets the answers of file servers to a request for a range. Pure.
///
/// SFTP and FTP have no validators: a version is identified by the length and the time of the last change. Unlike
/// `Last-Modified` of HTTP, this time is always compared, because it comes from the same machine.
extension RangeResponse {
    /// - Parameter known: the state from earlier responses.
    package init(_ head: TransferHead, to asked: RequestedRange, known: ResourceState) {
        switch head {
        case .http(let head): self.init(head, to: asked, known: known)
        case .file(let answer): self.init(answer, to: asked, known: known)
        }
    }

    private init(_ answer: FileAnswer, to asked: RequestedRange, known: ResourceState) {
        let state = ResourceState(byteCount: answer.byteCount, modified: answer.modified.map { "\($0)" })
        let isOther = [known.modified, state.modified].allSatisfy { $0 != nil } && known.modified != state.modified
        guard state.agrees(with: known), !isOther else {
            self = .changed(state)
            return
        }
        guard case .bytes(let range) = asked else {
            self = .whole(state)
            return
        }
        guard let end = state.byteCount ?? known.byteCount else {
            // The end of a file of unknown length is found only by reading up to it.
            self = range.lowerBound == 0 ? .whole(state) : .notRanged(state)
            return
        }
        self = range.lowerBound < end ? .part(range.clamped(to: 0..<end), state) : .pastEnd(state)
    }
}
