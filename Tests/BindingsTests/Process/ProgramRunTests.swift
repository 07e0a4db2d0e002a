// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

@testable import Bindings

@Suite("Programs whose output is read")
struct ProgramRunTests {
    private actor Reader {
        private nonisolated let executor = ThreadExecutor(name: "test-program")

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

        func output(of script: String, variable: String, limit: Int = 100) throws -> String? {
            let run = try ProgramRun(
                "/bin/sh",
                ["-c", script],
                variable: variable,
                memoryLimit: 1 << 30,
                secondLimit: 10
            )
            return run.read(limit: limit).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test("A program has the environment with one variable added or replaced")
    func variable() async throws {
        let reader = Reader()
        let added = try await reader.output(of: #"printf %s "$ADDED ${PATH:+inherited}""#, variable: "ADDED=a b")
        #expect(added == "a b inherited")
        let replaced = try await reader.output(of: #"printf %s "$PATH""#, variable: "PATH=/nowhere")
        #expect(replaced == "/nowhere")
    }

    @Test("The output of a program is returned whole, or not at all")
    func output() async throws {
        let reader = Reader()
        #expect(try await reader.output(of: "printf 12345; printf error >&2", variable: "A=", limit: 5) == "12345")
        #expect(try await reader.output(of: "printf 123456", variable: "A=", limit: 5) == nil)
        #expect(try await reader.output(of: "cat", variable: "A=") == "")
    }
}
