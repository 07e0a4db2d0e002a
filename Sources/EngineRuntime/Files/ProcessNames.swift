// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The arguments and the environment of this process as bytes. `CommandLine.arguments` would replace bytes that are not
/// UTF-8.
package enum ProcessNames {
    /// The arguments, without the name of the program.
    package static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { argument in
                let count = unsafe strlen(argument)
                return unsafe UnsafeBufferPointer(start: argument, count: count).map { UInt8(bitPattern: $0) }
            }
        }
    }

    /// Overwrites a part of an argument with asterisks, so that it can no longer be read in the list of processes.
    ///
    /// Call this before the process has other threads. `CommandLine.arguments` may show the asterisks or the argument.
    ///
    /// - Parameters:
    ///   - range: the bytes of the argument to overwrite; those beyond its end are ignored.
    ///   - index: as in `arguments`.
    package static func hide(_ range: Range<Int>, ofArgument index: Int) {
        guard (1..<max(1, Int(CommandLine.argc))).contains(index + 1),
            let argument = unsafe CommandLine.unsafeArgv[index + 1]
        else { return }
        for place in range.clamped(to: 0..<(unsafe strlen(argument))) {
            unsafe argument[place] = CChar(bitPattern: UInt8(ascii: "*"))
        }
    }

    /// An environment variable. `nil` if it is not set.
    package static func variable(_ name: String) -> [UInt8]? {
        unsafe getenv(name).map { value in
            let count = unsafe strlen(value)
            return unsafe UnsafeBufferPointer(start: value, count: count).map { UInt8(bitPattern: $0) }
        }
    }

    /// The working directory (`getcwd(3)`), of any length.
    package static func workingDirectory() throws(SystemError) -> [UInt8] {
        guard let path = unsafe getcwd(nil, 0) else { throw SystemError(in: "getcwd") }
        defer { unsafe free(path) }
        let count = unsafe strlen(path)
        return unsafe UnsafeBufferPointer(start: path, count: count).map { UInt8(bitPattern: $0) }
    }
}
