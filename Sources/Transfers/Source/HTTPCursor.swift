// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// One reader's view of a source on a server. At the end of a file that is still being written, it waits for more.
final class HTTPCursor: ByteCursor {
    private let reader: HTTPSource.Reader
    private let source: HTTPSource

    /// - Parameter reader: a reader of `source`.
    init(_ reader: HTTPSource.Reader, of source: HTTPSource) {
        self.reader = reader
        self.source = source
    }

    var byteCount: Int64 { source.byteCount }
    var isGrowing: Bool { source.growth != nil }

    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
        guard offset >= 0, output.freeCapacity > 0 else { return 0 }
        while true {
            let count: Int
            do throws(SourceFailure) {
                count = try reader.read(at: offset, into: &output)
            } catch {
                throw EngineError(error, source.path)
            }
            if count > 0 { return count }
            guard try reader.awaitGrowth(past: offset) else { return 0 }
        }
    }

    func expect(_ ranges: [Range<Int64>]) { reader.expect(ranges) }
}
