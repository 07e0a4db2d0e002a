// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A URL as a client wrote it, and the options with which it is fetched.
package struct SourceAddress: Hashable, Sendable {
    package let url: String
    package let http: HTTPOptions

    package init(_ url: String, _ http: HTTPOptions) { (self.url, self.http) = (url, http) }
}

extension ResourceURL {
    /// The URL of a source, which the engine or a helper reads.
    package init(ofSource text: String) throws(Failure) {
        self = ServerScheme(ofURL: text) == nil ? try ResourceURL(forHelper: text) : try ResourceURL(text)
    }
}
