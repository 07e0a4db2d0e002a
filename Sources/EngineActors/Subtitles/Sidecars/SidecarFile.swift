// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// An open subtitle file. Its tracks have no ids yet: a `SidecarReader` assigns them.
struct SidecarFile: ~Copyable {
    let content: SidecarContent
    let streams: [StreamInfo]
    let context: FormatContext

    private init(_ content: SidecarContent, _ context: consuming FormatContext) {
        self.content = content
        streams = context.streamInfos()
        self.context = context
    }

    /// - Parameter source: the source that the file belongs to, if known.
    static func open(
        _ content: SidecarContent,
        for source: SidecarContext? = nil,
        interrupt: InterruptFlag
    ) throws(EngineError) -> SidecarFile {
        let file: SidecarFile
        do throws(FFmpegError) {
            file = SidecarFile(content, try FormatContext.open(content.input(for: source), interrupt: interrupt))
        } catch {
            throw EngineError(error, .sourceNotMedia, content.refusal)
        }
        guard !file.streams.isEmpty else { throw EngineError(.sourceNotMedia, content.refusal) }
        return file
    }

    /// Opens a file that was found beside a source.
    static func open(
        _ record: SidecarRecord,
        for source: SidecarContext,
        _ opener: SourceOpener,
        interrupt: InterruptFlag
    ) throws(EngineError) -> SidecarFile {
        let fetcher = SidecarFetcher(HTTPOptions(), opener, of: record.sidecar.path, interrupt: interrupt)
        let content = try SidecarContent(record.sidecar, at: SidecarLocation(record), by: fetcher)
        return try open(content, for: source, interrupt: interrupt)
    }
}
