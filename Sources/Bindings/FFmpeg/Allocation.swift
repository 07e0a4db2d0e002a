// SPDX-License-Identifier: Apache-2.0

/// Returns the result of a C allocator; terminates the process if it is null.
func allocated<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>?, by function: String) -> UnsafeMutablePointer<Pointee>
{
    guard let pointer = unsafe pointer else { fatalError("\(function): out of memory") }
    return unsafe pointer
}
