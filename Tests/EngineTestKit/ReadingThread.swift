// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// A thread that may block, for code that belongs to an actor with a thread of its own.
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
