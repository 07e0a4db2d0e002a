// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOHTTP1

extension Response {
    /// The response to a GET or HEAD request for a resource from the provider.
    init(_ resource: LoopbackResource, for request: HTTPRequestHead) {
        switch resource {
        case .found(let content) where content.body.byteCount == 0:
            self = .message(.internalServerError, "internal: the resource is empty")
        case .found(let content):
            self.init(content, for: request)
        case .notFound:
            self = .message(.notFound, "no such resource")
        case .notReady(let seconds):
            self = .message(.serviceUnavailable, "not ready yet")
            headers.append(("Retry-After", "\(max(1, seconds))"))
        case .failed(let error):
            self = .message(error.code == .pathConflict ? .conflict : .internalServerError, error.description)
        case .gone:
            self = .message(.gone, "the session has ended")
        }
        if request.method == .HEAD { dropBody() }
        if case .found(let content) = resource, !content.isForEveryOrigin { return }
        allowEveryOrigin()
    }

    private init(_ content: LoopbackContent, for request: HTTPRequestHead) {
        self.init(status: .ok)
        headers = [
            ("Content-Type", content.contentType.rawValue),
            ("Cache-Control", content.cachePolicy.headerValue),
            ("Accept-Ranges", "bytes"),
        ]
        let tag = content.etag.map(EntityTag.init)
        if let tag { headers.append(("ETag", tag.quoted)) }
        if let tag, let known = request.headers.combined("If-None-Match"), tag.matches(anyIn: known) {
            status = .notModified
            return
        }
        body = content.body
        bodyRange = 0..<content.body.byteCount
        switch ByteRange(header: Self.rangeHeader(of: request, tag: tag), byteCount: content.body.byteCount) {
        case .whole: break
        case .part(let range):
            status = .partialContent
            bodyRange = range
            let last = range.upperBound - 1
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(last)/\(content.body.byteCount)"))
        case .unsatisfiable:
            status = .rangeNotSatisfiable
            dropBody()
            headers.append(("Content-Range", "bytes */\(content.body.byteCount)"))
        }
        contentLength = bodyRange.count
    }

    /// `Range` applies only to GET, and only if `If-Range` matches.
    private static func rangeHeader(of request: HTTPRequestHead, tag: EntityTag?) -> String? {
        guard request.method == .GET else { return nil }
        if let condition = request.headers.first(name: "If-Range"), tag?.matches(ifRange: condition) != true {
            return nil
        }
        return request.headers.combined("Range")
    }
}

extension HTTPHeaders {
    /// All values of a header joined into one list, or `nil` if it is missing.
    fileprivate func combined(_ name: String) -> String? {
        let values = self[name]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
