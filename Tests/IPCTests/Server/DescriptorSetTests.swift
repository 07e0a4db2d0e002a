// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server
@testable import Wire

@Suite("The descriptors that reflection serves")
struct DescriptorSetTests {
    @Test("services are listed by their full names")
    func services() {
        #expect(
            DescriptorSet.builtIn.services == [
                "engine.v1.Engine", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                "grpc.reflection.v1alpha.ServerReflection",
            ]
        )
    }

    @Test(
        "each kind of symbol is found in its file",
        arguments: [
            ("engine.v1.Engine", "engine/v1/engine.proto"), ("engine.v1.Engine.Load", "engine/v1/engine.proto"),
            ("engine.v1.WatchEvent", "engine/v1/engine.proto"),
            ("engine.v1.WatchEvent.delta", "engine/v1/engine.proto"),
            ("engine.v1.Phase", "engine/v1/state.proto"), ("engine.v1.PHASE_READY", "engine/v1/state.proto"),
            (".engine.v1.Chapter", "engine/v1/media.proto"),
            ("grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto"),
            ("grpc.health.v1.HealthCheckResponse.SERVING", "grpc/health/v1/health.proto"),
        ]
    )
    func symbols(_ symbol: String, _ file: String) {
        #expect(DescriptorSet.builtIn.file(defining: symbol)?.name == file)
    }

    @Test("unknown symbols are not found", arguments: ["", "engine.v1", "engine.v1.Nothing", "Engine"])
    func unknown(_ symbol: String) {
        #expect(DescriptorSet.builtIn.file(defining: symbol) == nil)
    }

    @Test("a file comes with all its imports, each once")
    func closure() throws {
        let file = try #require(DescriptorSet.builtIn.file(named: "engine/v1/engine.proto"))
        let files = DescriptorSet.builtIn.closure(of: file)
        #expect(files.count == 14)
        #expect(files.first == file.bytes)
    }
}
