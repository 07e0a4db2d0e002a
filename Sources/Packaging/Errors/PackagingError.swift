// SPDX-License-Identifier: Apache-2.0

/// Why bytes could not be parsed, or a track could not be packaged.
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
        /// A number in the bytes exceeds what this module handles.
        case limitExceeded
        /// fMP4 cannot carry this codec, or this module does not support it.
        case unsupportedCodec
        /// The codec is supported, but not this use of it.
        case unsupportedFeature
        /// Neither the container nor the given packets contain the decoder configuration.
        case missingConfiguration
    }
}

extension PackagingError: CustomStringConvertible {
    package var description: String { message }
}
