// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Recognises a source under another name.
///
/// A file is known by its length and by digests of its start, its middle and its end, so it may be renamed, moved or
/// copied. A file that grows or is changed is another source. A source on a server is known by its URL as
/// `SourceOpener.shown` returns it.
enum ContentIdentity {
    private static let pieceByteCount: Int64 = 64 << 10

    /// Blocks while it reads the source, so only actors with a thread of their own may call it.
    ///
    /// - Returns: `nil` for a stream that is sent to the engine: the next one at its address is another source.
    /// - Throws: why the source cannot be read.
    static func of(_ source: String) throws(EngineError) -> String? {
        if SourceOpener.isFeed(source) { return nil }
        guard !SourceOpener.isURL(source) else {
            return "url-\(StableHash(of: SourceOpener.shown(source).utf8).hexadecimal)"
        }
        let file = try SourceFile.open(source)
        var hash = StableHash()
        for start in [0, (file.byteCount - pieceByteCount) / 2, file.byteCount - pieceByteCount] {
            do throws(Errno) {
                hash.add(try file.read(at: max(0, start), count: Int(pieceByteCount)))
            } catch {
                throw EngineError(.sourceReadFailed, "\(file.path) cannot be read", cause: "\(error)")
            }
        }
        return "\(file.byteCount)-\(hash.hexadecimal)"
    }
}
