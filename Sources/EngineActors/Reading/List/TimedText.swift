// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging

/// Why a document of timed text is refused.
package struct TimedTextError: Error {
    package let reason: String
}

extension TTMLDocument {
    /// The cues of a document in the order of their times, and the language that it states.
    ///
    /// - Parameter isUTF8: whether the bytes are UTF-8 whatever the document declares.
    package static func read(
        _ bytes: [UInt8],
        isUTF8: Bool = false
    ) throws(TimedTextError) -> (cues: [Cue], language: String) {
        var document = TTMLDocument()
        do throws(XMLDocument.Failure) {
            try XMLDocument.read(bytes, isUTF8: isUTF8) { document.take($0) }
        } catch {
            throw TimedTextError(reason: error.description)
        }
        do throws(Excess) {
            return (try document.cues(), document.language)
        } catch {
            throw TimedTextError(reason: error.description)
        }
    }
}
