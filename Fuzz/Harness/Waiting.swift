// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EngineRuntime

/// Waits for work of actors, on libFuzzer's thread, on which no actor runs.
func waiting(for work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    // This task ends before the function returns.
    Task {
        await work()
        done.signal()
    }
    done.wait()
}
