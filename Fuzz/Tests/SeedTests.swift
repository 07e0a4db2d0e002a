// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Foundation
import Testing

/// A thread that may block, like that of the fuzzer.
private actor Runner {
    private let executor = ThreadExecutor(name: "test-seeds")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func exercise(_ family: Family, _ input: [UInt8]) { family.exercise(input) }
}

/// A broken promise ends the process. The last line before its message is the name of the seed.
@Suite("The seeds of the fuzzer", .serialized, .timeLimit(.minutes(10)))
struct SeedTests {
    /// Where families write files; see `Folder`.
    private static let folder: URL = {
        let url = FileManager.default.temporaryDirectory.appending(path: "engine-seeds-\(UUID().uuidString)")
        unsafe setenv("FUZZ_FOLDER", url.path, 1)
        return url
    }()

    @Test("no seed breaks a promise, nor does any input that once broke one", arguments: Family.allCases)
    func seeds(family: Family) async throws {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: Self.folder) } }
        let place = Repository.root.appending(path: "Fuzz/Seeds/\(family.rawValue)")
        let seeds = try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
        #expect(!seeds.isEmpty)
        let runner = Runner()
        for seed in seeds.sorted(by: { $0.path < $1.path }) {
            print("seed \(family.rawValue)/\(seed.lastPathComponent)")
            await runner.exercise(family, [UInt8](try Data(contentsOf: seed)))
        }
        await runner.exercise(family, [])
    }
}
