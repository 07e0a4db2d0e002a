// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// One segment of a list, opened by itself.
///
/// Not thread-safe: owned by one reader.
final class OpenSegment {
    let index: Int
    var context: FormatContext

    init(
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        self.index = index
        context = try Self.open(index, of: list, in: source, interrupt)
        if context.container.hasFramedPackets { context.takePacketsAsTheyAre() }
    }

    /// - Throws: what fetching the segment reports, or `segmentFailed` if it is not media.
    static func open(
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> FormatContext {
        let bytes = try source.bytes(of: index, in: list, interrupt)
        do throws(FFmpegError) {
            return try FormatContext.open(segment: bytes, interrupt: interrupt)
        } catch {
            if error.isInterruption { throw EngineError(error, .segmentFailed, "opening segment \(index)") }
            throw EngineError(
                .segmentFailed,
                "segment \(index) of \(source.path), \(source.shownURL(of: index, in: list)), is not media",
                cause: "\(error); it has \(bytes.count) bytes and begins with \(Self.beginning(of: bytes))"
            )
        }
    }

    /// Reads into the segment until everything about its streams is known, if its header does not describe them. At most
    /// once. Without, most audio of MPEG-TS has no times: those of the frames within a PES packet follow from their
    /// lengths.
    ///
    /// - Parameter measuresRates: whether the frame rates of videos are wanted.
    func identifyStreams(of source: SegmentListSource, measuresRates: Bool = true) throws(EngineError) {
        guard !context.container.describesItself else { return }
        do throws(FFmpegError) {
            try context.findStreamInfo(measuresRates: measuresRates)
        } catch {
            throw EngineError(error, .sourceNotMedia, "the streams of \(source.path) could not be identified")
        }
    }

    /// The first bytes, as text where they are text.
    private static func beginning(of bytes: [UInt8]) -> String {
        let head = bytes.prefix(16)
        if head.allSatisfy({ (0x20...0x7E).contains($0) }) { return "\"\(String(decoding: head, as: UTF8.self))\"" }
        return head.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// Whether its clock starts again after 33 bits.
    var wraps: Bool { context.container.isMPEGTS }
}
