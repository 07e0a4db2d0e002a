// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Glibc

/// The memory of a ring and its control page, as a front-end maps them.
struct RingMemory {
    let ring: SharedMemory
    let control: SharedMemory

    /// Takes over both descriptors, even if it throws.
    ///
    /// - Throws: `internal` if one of them cannot be mapped.
    init(ring: CInt, control: CInt) throws(EngineClientError) {
        do throws(SystemError) {
            self.control = try SharedMemory(mapping: control, isWritable: true)
        } catch {
            close(ring)
            throw Self.failure(error)
        }
        do throws(SystemError) {
            self.ring = try SharedMemory(mapping: ring, isWritable: false)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> EngineClientError {
        EngineClientError(.internal, "the engine's memory cannot be mapped", cause: "\(error)")
    }
}
