// SPDX-License-Identifier: Apache-2.0

/// Returns what a C allocator gave, and stops the process when memory has run out.
func allocated<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>?, by function: String) -> UnsafeMutablePointer<Pointee>
{
    guard let pointer = unsafe pointer else { fatalError("\(function): out of memory") }
    return unsafe pointer
}
