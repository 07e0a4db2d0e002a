// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Gives memory that was freed back to the system (`malloc_trim`): after much was freed at once. Takes a few milliseconds.
package func returnFreeMemory() { csystem_return_free_memory() }
