// SPDX-License-Identifier: Apache-2.0

/// Maps the path of each method to a factory of its handlers.
struct MethodTable {
    typealias Factory = (ServerCore) -> any CallHandler

    private var factories: [String: Factory] = [:]

    init() {
        factories.merge(EngineMethods.table) { $1 }
        factories.merge(StillMethods.table) { $1 }
        factories.merge(WebMethods.table) { $1 }
        factories.merge(HandoverMethods.table) { $1 }
        factories.merge(HealthMethods.table) { $1 }
        factories.merge(ReflectionHandler.table) { $1 }
    }

    func handler(for path: String, core: ServerCore) -> (any CallHandler)? { factories[path]?(core) }
}
