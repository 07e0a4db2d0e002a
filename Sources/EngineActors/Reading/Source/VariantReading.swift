// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

extension VariantCourse {
    /// - Parameter report: called with what clients should know, for the first time before this returns.
    /// - Returns: `nil` if the source of the reader has no variants to choose from, or if its segments do not begin
    ///   with keyframes.
    package convenience init?(
        of reader: SourceReader,
        report: @escaping (Report) -> Void
    ) throws(EngineError) {
        guard let source = reader.list?.source else { return nil }
        try self.init(of: source, reader.interrupt, report: report)
    }

    /// Makes a reader of the source read the variants that this course chooses.
    package func guide(_ reader: SourceReader) { reader.list?.follow(self) }
}
