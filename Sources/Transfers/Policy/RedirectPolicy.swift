// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel

/// Follows the redirects of one request and refuses dangerous ones. Pure.
package struct RedirectPolicy: Sendable {
    package static let limit = 8
    /// The header fields of the caller that any server may receive, in lower case.
    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent"]

    package enum Refusal: Error, Hashable, Sendable {
        case tooMany
        /// The URL was visited already, and no cookie was set since.
        case loop(String)
        /// From https to http.
        case insecure(String)
        /// Something other than HTTP, such as `file`.
        case scheme(String)
        /// `Location` is missing, malformed, or has several values.
        case noLocation
    }

    package private(set) var url: ResourceURL
    /// The URL of the first request.
    package let first: ResourceURL
    /// The hosts of `first` and of the targets of the redirects.
    package private(set) var hosts: [String]
    /// Whether requests for the current URL carry the caller's credentials and all header fields. Stays `false` once a
    /// redirect or a name has led to another origin.
    package private(set) var isTrusted = true
    /// Whether a redirect was followed.
    package private(set) var isRedirected = false
    /// The URLs visited since a cookie was last set.
    private var visited: Set<String>
    /// The cookies that were set on the way, with their values.
    private var cookies: Set<String> = []
    private var count = 0

    package init(_ url: ResourceURL) {
        self.url = url
        first = url
        hosts = [url.origin.host]
        visited = [url.text]
    }

    package static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Moves to the target of a redirect response.
    package mutating func follow(_ head: ResponseHead) throws(Refusal) {
        guard let location = head["location"] else { throw .noLocation }
        let next: ResourceURL
        do throws(ResourceURL.Failure) {
            next = try url.resolving(location)
        } catch {
            switch error {
            case .scheme(let scheme): throw .scheme(scheme)
            case .malformed: throw .noLocation
            }
        }
        guard next.origin.isSecure || !url.origin.isSecure else { throw .insecure(next.shown) }
        if hasNewCookie(head) { visited = [] }
        guard visited.insert(next.text).inserted else { throw .loop(next.shown) }
        count += 1
        guard count <= Self.limit else { throw .tooMany }
        isTrusted = isTrusted && next.origin == url.origin
        isRedirected = true
        url = next
        hosts.append(url.origin.host)
    }

    /// Whether a response sets a cookie to a new value. The next response of a server may then differ.
    private mutating func hasNewCookie(_ head: ResponseHead) -> Bool {
        var isNew = false
        for field in head.fields where field.name == "set-cookie" {
            let pair = String(field.value.prefix { $0 != ";" })
            if cookies.insert(pair).inserted { isNew = true }
        }
        return isNew
    }

    /// Moves to a resource that the current one names, as a playlist names its segments. The rules of redirects apply,
    /// except that a resource may be named any number of times. A resource of another protocol is refused.
    package mutating func go(to named: ResourceURL) throws(Refusal) {
        guard named.scheme == url.scheme || named.scheme.isHTTP && url.scheme.isHTTP else {
            throw .scheme(named.scheme.rawValue)
        }
        guard named.origin.isSecure || !url.origin.isSecure else { throw .insecure(named.shown) }
        isTrusted = isTrusted && named.origin == url.origin
        url = named
    }

    /// The request for the current URL. Range and validator are always sent.
    ///
    /// - Parameter original: the caller's request for the first URL.
    package func request(_ original: TransferRequest) -> TransferRequest {
        var request = original
        request.url = url
        if isTrusted {
            request.credentials = original.credentials ?? original.url.credentials
        } else {
            request.headers = original.headers.filter { Self.harmless.contains($0.name.lowercased()) }
            request.credentials = nil
            request.settings.clientCertificate = nil
        }
        return request
    }
}
