// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// An actor whose thread may block, for code that runs on such a thread in the engine.
package actor ReadingThread {
    private let executor = ThreadExecutor(name: "test")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init() {}

    package func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }
}
