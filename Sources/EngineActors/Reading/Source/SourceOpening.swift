// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The settings with which libavformat opens a source. The same whenever the source is opened again.
struct SourceOpening {
    let purpose: FormatContext.Purpose
    let edits: FormatContext.Edits
    let keepsTeletextTimes: Bool
    let reading: SourceReading
    let interrupt: InterruptFlag

    private var joined: JoinedContainer? {
        guard case .title(let title) = reading else { return nil }
        return title.content.kind == .bluRay ? .transportStream : .programStream
    }

    /// - Parameters:
    ///   - fragments: how the fragments of an MP4 file are found.
    ///   - part: the bytes that are opened as if they were the file; `nil`: all.
    func context(
        of file: any ByteSource,
        fragments: FragmentAccess = .listed,
        part: Range<Int64>? = nil
    ) throws(EngineError) -> FormatContext {
        if case .list(let list) = reading { return try list.head(interrupt) }
        do throws(FFmpegError) {
            return try FormatContext.open(
                file,
                for: purpose,
                edits: edits,
                keepsTeletextTimes: keepsTeletextTimes,
                joined: joined,
                fragments: fragments,
                part: part,
                interrupt: interrupt
            )
        } catch {
            throw EngineError(error, .sourceNotMedia, "\(file.path) is not a supported media file")
        }
    }
}
