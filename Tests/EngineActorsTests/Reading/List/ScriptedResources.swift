// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging

@testable import Bindings
@testable import Reading

/// The resources of a list in memory, by URL. Each fetch is recorded, and tells its observer that the server is silent.
final class ScriptedResources: ListResources {
    private let bodies: [String: [UInt8]]
    /// The URL of the resource whose fetch is interrupted.
    private let interrupted: String?
    private let log = Locked<[String]>([])
    private let retryCount = Locked(0)
    private let ahead = Locked<Set<String>>([])
    private let deliveryCount = Locked(0)

    init(_ bodies: [String: [UInt8]], interrupting interrupted: String? = nil) {
        self.bodies = bodies
        self.interrupted = interrupted
    }

    var requests: [String] { log.withLock { $0 } }
    /// The number of calls of `retry` so far.
    var retries: Int { retryCount.withLock { $0 } }
    /// The number of calls of `delivered` so far.
    var deliveries: Int { deliveryCount.withLock { $0 } }
    var traffic: SourceTraffic { SourceTraffic() }

    /// The URLs of the resources that are expected, and were neither fetched nor dismissed.
    var expected: Set<String> { ahead.withLock { $0 } }

    func expect(_ resources: [ListedResource]) { ahead.withLock { $0.formUnion(resources.map(\.url)) } }

    func dismiss(_ resources: [ListedResource]) { ahead.withLock { $0.subtract(resources.map(\.url)) } }

    func retry() { retryCount.withLock { $0 += 1 } }

    func delivered() { deliveryCount.withLock { $0 += 1 } }

    func fetchList(
        _ url: String?,
        _ directives: HLSDirectives?,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        FetchedResource(bytes: bodies["list"] ?? [], url: "list")
    }

    func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        observer: @escaping @Sendable (SourceDelivery) -> Void,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        log.withLock { $0.append(resource.url) }
        ahead.withLock { _ = $0.remove(resource.url) }
        observer(.waits(.silent))
        if resource.url == interrupted { throw EngineError(.cancelled, "the fetch was interrupted") }
        guard let body = bodies[resource.url] else {
            throw EngineError(.sourceNotFound, "\(resource.url) was not found", cause: "status 404")
        }
        return FetchedResource(bytes: body, url: resource.url)
    }
}
