// SPDX-License-Identifier: Apache-2.0

/// Lines on a terminal that are redrawn in place (ECMA-48 CUU, EL and ED).
struct Panel {
    private var height = 0

    mutating func draw(_ lines: [String]) throws(Failure) {
        var text = height > 0 ? "\u{1B}[\(height)A" : ""
        for line in lines { text += "\r\u{1B}[K\(line)\n" }
        text += "\u{1B}[J"
        height = lines.count
        try Terminal.draw(text)
    }
}
