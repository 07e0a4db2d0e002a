// SPDX-License-Identifier: Apache-2.0

/// Ends the process if a promise is broken; libFuzzer then keeps the input.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fatalError("broken promise: \(promise())") }
}

/// Splits an input into at most `limit` byte strings, each of which follows its length in two bytes. The last may be
/// shorter than its length.
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
