// SPDX-License-Identifier: Apache-2.0

/// A part of an XML document, in document order. Names are local names, without a namespace prefix.
package enum XMLEvent: Hashable, Sendable {
    case start(String, attributes: [String: String])
    case text(String)
    case end
}
