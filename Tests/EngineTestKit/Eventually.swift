// SPDX-License-Identifier: Apache-2.0

/// Waits until `condition` holds. The suite's time limit ends a wait that would never end.
package func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
