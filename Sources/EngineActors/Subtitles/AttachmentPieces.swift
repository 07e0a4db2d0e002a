// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Reading

/// The bytes of an attachment or a cover. Opens the source separately from playback; the thread ends with the actor.
package actor AttachmentPieces: PieceSource {
    private static let pieceByteCount = 256 << 10

    private let executor = ThreadExecutor(name: "attachment")
    private nonisolated let interruptFlag = InterruptFlag()
    private let source: String
    private let http: HTTPOptions
    private let opener: SourceOpener
    private let stream: Int
    private var rest: ArraySlice<UInt8>?
    private var total: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter source: a path or URL, as in `LoadRequest.source`.
    package init(of source: String, _ http: HTTPOptions = HTTPOptions(), _ opener: SourceOpener, stream: Int) {
        self.source = source
        self.http = http
        self.opener = opener
        self.stream = stream
    }

    package nonisolated func cancel() { interruptFlag.raise() }

    package func next() throws(EngineError) -> DataPiece? {
        if rest == nil {
            let bytes = try read()
            total = UInt64(bytes.count)
            rest = bytes[...]
        }
        guard let piece = rest?.prefix(Self.pieceByteCount), !piece.isEmpty else { return nil }
        rest?.removeFirst(piece.count)
        return DataPiece(Array(piece), totalByteCount: total)
    }

    private func read() throws(EngineError) -> [UInt8] {
        let file = try opener.open(source, http, interrupt: interruptFlag)
        let reader = try SourceReader(file: file, for: .reading, edits: .any, interrupt: interruptFlag)
        let info = reader.streamInfos().first { $0.index == stream }
        let bytes: [UInt8]? =
            switch info?.kind {
            case .attachment, .coverArt: reader.context.embeddedFile(ofStream: stream)
            case .video, .audio, .subtitle, .data, nil: nil
            }
        guard let bytes, !bytes.isEmpty else {
            throw EngineError(.trackNotFound, "stream \(stream) of \(file.path) is not an attachment")
        }
        return bytes
    }
}
