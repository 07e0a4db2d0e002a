// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension MediaDescription {
    /// Everything that a source declares about itself, its streams, chapters and tags, except for the chapters of a
    /// disc's title.
    init(declaredBy reader: SourceReader) {
        self = reader.completedByFragments(reader.context.describe(source: reader.file.path))
        if reader.container.isMP4, let fragments = FragmentDurations(of: reader.file, reader.interrupt) {
            self = fragments.corrected(self, reader.streamInfos())
        }
        if let list = reader.list { self = list.completed(self) }
        if let title = reader.title {
            let identifiers = Dictionary(
                uniqueKeysWithValues: reader.streamInfos().map { ($0.index, $0.identifier) }
            )
            self = title.completed(self, identifiers: identifiers)
        }
    }
}
