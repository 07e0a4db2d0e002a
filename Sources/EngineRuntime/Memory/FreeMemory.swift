// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Returns freed memory to the system (`malloc_trim`). Call it after freeing a lot at once. Takes a few milliseconds.
package func returnFreeMemory() { csystem_return_free_memory() }

/// The resident memory of the process in bytes (/proc/self/statm, proc(5)); 0 if unavailable.
package func residentMemory() -> UInt64 { csystem_resident_memory() }
