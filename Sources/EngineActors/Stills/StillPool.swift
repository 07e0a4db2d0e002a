// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Reading

/// The extractors of the most recently used sources that are not loaded.
///
/// Thread-safety: safe.
package final class StillPool: Sendable {
    private struct Entry {
        let extractor: FrameExtractor
        var use: UInt64
    }

    private struct Key: Hashable {
        let source: SourceIdentity
        /// The whole URL of a source on a server, because its identity leaves out the query. Empty for a file.
        let url: String
        let program: ProgramSelection
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    /// The maximum number of sources. Each takes a thread, and memory for its stills.
    static let limit = 8

    private let opener: SourceOpener
    private let state = Locked(State())

    package init(_ opener: SourceOpener = SourceOpener()) { self.opener = opener }

    /// The extractor for `source`. A source that has changed gets a new extractor.
    package func extractor(
        for source: String,
        _ http: HTTPOptions = HTTPOptions(),
        program: ProgramSelection = .automatic
    ) async throws(EngineError) -> FrameExtractor {
        let interrupt = InterruptFlag()
        let file = try await withTaskCancellationHandler(
            operation: { () async -> Result<any ByteSource, EngineError> in
                do throws(EngineError) {
                    return .success(try await opener.openWithoutBlocking(source, http, interrupt: interrupt))
                } catch {
                    return .failure(error)
                }
            },
            onCancel: { interrupt.raise() }
        ).get()
        let key = Key(source: file.identity, url: file.isRemote ? source : "", program: program)
        let (found, retired) = state.withLock { state -> (FrameExtractor, FrameExtractor?) in
            state.uses += 1
            if var entry = state.entries[key], entry.extractor.origin.file.isUsable {
                entry.use = state.uses
                state.entries[key] = entry
                return (entry.extractor, nil)
            }
            let unusable = state.entries[key]?.extractor
            let made = FrameExtractor(.file(file, program: program))
            state.entries[key] = Entry(extractor: made, use: state.uses)
            guard state.entries.count > Self.limit, let oldest = state.entries.min(by: { $0.value.use < $1.value.use })
            else { return (made, unusable) }
            state.entries[oldest.key] = nil
            return (made, oldest.value.extractor)
        }
        retired?.retire()
        return found
    }

    /// Closes all sources, after the stills that were already requested. Later requests open them again.
    package func forget() {
        for extractor in takeAll() { extractor.retire() }
    }

    package func shutDown() {
        for extractor in takeAll() { extractor.shutDown() }
    }

    private func takeAll() -> [FrameExtractor] {
        state.withLock { state in
            defer { state.entries = [:] }
            return state.entries.values.map(\.extractor)
        }
    }
}
