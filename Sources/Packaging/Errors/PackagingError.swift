// SPDX-License-Identifier: Apache-2.0

/// Why bytes could not be read, or a track not be packaged.
package struct PackagingError: Error, Hashable, Sendable {
    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes end before the structure does.
        case truncated
        /// The bytes contradict their own format.
        case malformed
        /// A number in the bytes asks for more than this module handles.
        case limitExceeded
        /// fMP4 has no place for this codec, or this module does not know it.
        case unsupportedCodec
        /// The codec is known, this use of it is not.
        case unsupportedFeature
        /// Neither the container nor the packets given hold what the decoder must be told.
        case missingConfiguration
    }
}

extension PackagingError: CustomStringConvertible {
    package var description: String { "\(code.rawValue): \(message)" }
}
