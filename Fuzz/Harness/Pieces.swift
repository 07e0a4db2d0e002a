// SPDX-License-Identifier: Apache-2.0

/// Stops the process, which libFuzzer reports with the input at fault.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fatalError("broken promise: \(promise())") }
}

/// Cuts an input into byte strings, each behind its length in two bytes; the last may be shorter than it says.
func pieces(_ bytes: [UInt8], limit: Int = 16) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while rest.count >= 2, pieces.count < limit {
        let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
        pieces.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
    }
    return pieces
}
