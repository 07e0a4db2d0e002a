// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Caches finished storyboard sheets and evicts the least recently used. Pure.
package struct StoryboardSheets {
    package init() {}
    private static let byteLimit = 8 << 20

    /// The least recently used sheet first.
    private var sheets: [(index: Int, bytes: [UInt8])] = []

    package mutating func sheet(_ index: Int) -> [UInt8]? {
        guard let place = sheets.firstIndex(where: { $0.index == index }) else { return nil }
        let found = sheets.remove(at: place)
        sheets.append(found)
        return found.bytes
    }

    package mutating func keep(_ bytes: [UInt8], _ index: Int) {
        sheets.removeAll { $0.index == index }
        sheets.append((index, bytes))
        while sheets.count > 1, sheets.reduce(0, { $0 + $1.bytes.count }) > Self.byteLimit { sheets.removeFirst() }
    }
}
