// SPDX-License-Identifier: Apache-2.0

/// Serves everything below `/web`: control over HTTP, and the page that uses it. The server handles HTTP; the provider
/// decides which requests are allowed.
///
/// Thread-safety: implementations must be safe.
package protocol ControlProvider: Sendable {
    /// Decides from the head of a request, before its body is read.
    ///
    /// Called on the server's only thread: it must be cheap, must not block, and must compare tokens in constant time.
    func admit(_ request: ControlRequest) -> ControlAdmission

    /// Answers an admitted request. The task is cancelled when the client disconnects, when the server stops, and after
    /// `LoopbackConfiguration.controlLimit`.
    func respond(to request: ControlRequest) async -> ControlResponse
}

/// A request to a `ControlProvider`.
package struct ControlRequest: Sendable {
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let method: String
    /// The part of the path behind `/web/`; `nil` for `/web` itself.
    package let path: String?
    package let headers: [Header]
    /// Empty until the request was admitted.
    package var body: [UInt8] = []

    package init(method: String, path: String?, headers: [Header], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The values of a header field, whose name is compared without case.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

package enum ControlAdmission: Sendable {
    /// - Parameter bodyLimit: the maximum size of the body in bytes; a request with a longer one is answered with 413.
    case admitted(bodyLimit: Int)
    case refused(ControlResponse)
}

/// The response to a request of a `ControlProvider`.
package struct ControlResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Sent piece by piece, until it ends or the client disconnects.
        case stream(any ControlStream)
    }

    package var status: Int
    package var headers: [ControlRequest.Header]
    package var body: Body

    package init(status: Int, headers: [ControlRequest.Header], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The pieces of a response without a length.
///
/// Thread-safety: safe; one `next` at a time.
package protocol ControlStream: Sendable {
    /// The next piece, requested only when the client has taken the last one; `nil` at the end. Must return soon after
    /// its task was cancelled.
    func next() async -> [UInt8]?

    /// Called once: when the client is gone, when the server stops, or when `next` has returned `nil`. No piece is
    /// requested afterwards.
    func cancel()
}
