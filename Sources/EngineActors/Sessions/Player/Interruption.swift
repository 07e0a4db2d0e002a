// SPDX-License-Identifier: Apache-2.0

/// Waits for `body`. Cancelling the task calls `interrupt`, which makes `body` return soon.
///
/// Like `withTaskCancellationHandler`, but with typed errors.
func interrupting<Value: Sendable, Failure: Error>(
    by interrupt: @Sendable () -> Void,
    _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withTaskCancellationHandler {
        do throws(Failure) {
            return Result<Value, Failure>.success(try await body())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        interrupt()
    }
    return try result.get()
}
