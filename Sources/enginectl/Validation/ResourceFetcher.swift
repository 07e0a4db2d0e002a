// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation
internal import FoundationNetworking

/// Fetches whole resources over HTTP or from files, up to a size limit.
struct ResourceFetcher {
    /// The largest segment that is fetched, in bytes.
    static let segmentLimit = 512 << 20
    private static let attempts = 20
    /// The pause after a 503 response.
    private static let retryPause = Duration.seconds(1)

    /// - Throws: `Failure` if the resource cannot be fetched. A request that gets a 503 response is repeated after a pause.
    func fetch(_ url: URL, limit: Int) async throws -> [UInt8] {
        if url.isFileURL { return try file(url, limit: limit) }
        for _ in 0..<Self.attempts {
            let transfer = Transfer(limit: limit)
            let (status, bytes) = try await transfer.run(url)
            switch status {
            case 200: return bytes
            case 503: try await Task.sleep(for: Self.retryPause)
            default: throw Failure(.failed, "\(url.shown) returned HTTP status \(status)")
            }
        }
        throw Failure(.failed, "\(url.shown) was not ready after \(Self.attempts) attempts")
    }

    private func file(_ url: URL, limit: Int) throws -> [UInt8] {
        guard let path = url.file else { throw Failure(.failed, "\(url.shown) does not name a file") }
        return try FileArgument(path: path).bytes(byteLimit: limit, failing: "cannot read \(path)")
    }
}

/// A single GET request.
private final class Transfer: NSObject, URLSessionDataDelegate, Sendable {
    private struct Progress {
        var status = 0
        var bytes: [UInt8] = []
        var isTooLarge = false
        var continuation: CheckedContinuation<(Int, [UInt8]), any Error>?
    }

    private let limit: Int
    private let progress = Locked(Progress())

    init(limit: Int) { self.limit = limit }

    func run(_ url: URL) async throws -> (Int, [UInt8]) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 60
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // One session per request, because Foundation on Linux supports only session delegates, not task delegates.
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: url)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                progress.withLock { $0.continuation = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = progress.withLock { progress in
            progress.bytes += data
            progress.isTooLarge = progress.bytes.count > limit
            return progress.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let place = task.originalRequest?.url?.shown ?? "the resource"
        let (continuation, bytes, isTooLarge) = progress.withLock { progress in
            defer { progress.continuation = nil }
            return (progress.continuation, progress.bytes, progress.isTooLarge)
        }
        if isTooLarge {
            continuation?.resume(throwing: Failure(.failed, "\(place) has more than \(limit) bytes"))
        } else if let error {
            continuation?.resume(throwing: Failure(.failed, "cannot fetch \(place): \(error.localizedDescription)"))
        } else {
            continuation?.resume(returning: (status, bytes))
        }
    }
}
