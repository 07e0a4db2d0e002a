// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Gives memory that was freed back to the system (`malloc_trim`): after much was freed at once. Takes a few milliseconds.
package func returnFreeMemory() { csystem_return_free_memory() }

/// Bytes of memory the process has in use (`VmRSS` of proc(5)); 0 when the system does not say.
package func residentMemory() -> UInt64 { csystem_resident_memory() }
