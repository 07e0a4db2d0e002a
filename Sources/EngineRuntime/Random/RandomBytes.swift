// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Bytes from the kernel's random generator (`getrandom`), for unguessable tokens.
package func randomBytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        var offset = 0
        while offset < count {
            let got = unsafe csystem_random(buffer.baseAddress?.advanced(by: offset), count - offset)
            precondition(got > 0, "getrandom failed")
            offset += got
        }
        filled = count
    }
}
