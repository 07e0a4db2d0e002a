// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Names the calling thread in `ps -T`. For the event loop's, which the engine does not start itself.
func nameCurrentThread(_ name: StaticString) {
    name.withUTF8Buffer { buffer in
        _ = unsafe csystem_set_thread_name(String(decoding: buffer.prefix(15), as: UTF8.self))
    }
}
