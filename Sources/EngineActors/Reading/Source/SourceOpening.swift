// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

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
            let refusal = EngineError(error, .sourceNotMedia, "\(file.path) is not a supported media file")
            guard refusal.code == .sourceNotMedia else { throw refusal }
            guard let name = try kind(of: file, recognisedAs: error.format) else { throw refusal }
            throw EngineError(.sourceNotMedia, refusal.message, cause: "it is \(name); \(error)")
        }
    }

    /// What the file is if it is not media, for the message. `nil` if that is not known.
    ///
    /// - Parameter format: what libavformat takes it for, which is wrong for some archives.
    private func kind(of file: any ByteSource, recognisedAs format: String?) throws(EngineError) -> String? {
        let start = try file.cursor(interrupt).read(at: 0, count: FileSignature.byteLimit)
        return FileSignature.name(of: start) ?? format ?? (FileSignature.isText(start) ? "a text" : nil)
    }
}
