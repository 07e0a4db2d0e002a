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
            self = .message(Self.status(of: error), error.description)
        case .dropped(let error):
            self = .message(.gone, error.description)
        case .gone:
            self = .message(.gone, "the session has ended")
        }
        if request.method == .HEAD { dropBody() }
        if case .found(let content) = resource, !content.isForEveryOrigin { return }
        allowEveryOrigin()
    }

    private static func status(of error: EngineError) -> HTTPResponseStatus {
        switch error.code {
        case .invalidArgument: .badRequest
        case .pathConflict: .conflict
        default: .internalServerError
        }
    }

    private init(_ content: LoopbackContent, for request: HTTPRequestHead) {
        let tag = content.etag.map(EntityTag.init)
        let caching = [("Cache-Control", content.cachePolicy.headerValue)] + (tag.map { [("ETag", $0.quoted)] } ?? [])
        switch Precondition(request.headers, tag: tag) {
        case .failed:
            self = .message(.preconditionFailed, "the resource is not the one that If-Match names")
            return
        case .notModified:
            self.init(status: .notModified)
            headers = caching
            return
        case .met: break
        }
        self.init(status: .ok)
        let byteCount = content.body.byteCount
        var type = content.contentType.rawValue
        body = content.body
        bodyRange = 0..<byteCount
        switch ByteRange(header: Self.rangeHeader(of: request, tag: tag), byteCount: byteCount) {
        case .whole: break
        case .part(let range):
            status = .partialContent
            bodyRange = range
            headers = [("Content-Range", MultipartRanges.contentRange(range, of: byteCount))]
        case .parts(let ranges):
            status = .partialContent
            // Media does not by accident contain the digest of its own tag.
            let boundary = "engined-\(StableHash(of: (content.etag ?? "").utf8).hexadecimal)"
            let parts = MultipartRanges(ranges, of: content.body, type: type, boundary: boundary)
            type = parts.contentType
            body = parts.body
            bodyRange = 0..<parts.body.byteCount
        case .unsatisfiable:
            self = .message(.rangeNotSatisfiable, "the resource has \(byteCount) bytes")
            headers.append(("Content-Range", "bytes */\(byteCount)"))
            return
        }
        headers += [("Content-Type", type), ("Accept-Ranges", "bytes")] + caching
        contentLength = bodyRange.count
    }

    /// `Range` applies only to GET. If there is an `If-Range`, it must match.
    private static func rangeHeader(of request: HTTPRequestHead, tag: EntityTag?) -> String? {
        guard request.method == .GET else { return nil }
        if let condition = request.headers.first(name: "If-Range"), tag?.matches(ifRange: condition) != true {
            return nil
        }
        return request.headers.combined("Range")
    }
}
