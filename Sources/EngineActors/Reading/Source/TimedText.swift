// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import Packaging

extension TTMLDocument {
    /// - Parameter isUTF8: whether the bytes are UTF-8 whatever the document declares.
    package init(_ bytes: [UInt8], isUTF8: Bool = false) throws(XMLDocument.Failure) {
        var document = TTMLDocument()
        try XMLDocument.read(bytes, isUTF8: isUTF8) { document.take($0) }
        self = document
    }
}
