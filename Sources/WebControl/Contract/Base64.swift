// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

/// RFC 4648 §4, with padding.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    static func decode(_ text: String) throws(EngineError) -> [UInt8] {
        guard let data = Data(base64Encoded: text) else { throw EngineError(.invalidArgument, "must be base64") }
        return Array(data)
    }
}
