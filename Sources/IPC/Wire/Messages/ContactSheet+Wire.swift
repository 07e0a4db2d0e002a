// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension ContactSheetRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.ContactSheetRequest(bytes)
        var request = ContactSheetRequest(of: try StillSource(wire: wire.of))
        request.style = try StillRequest.style(wire.style)
        request.columns = try Self.number(wire.columns, 1...20, request.columns, "columns")
        request.rows = try Self.number(wire.rows, 1...20, request.rows, "rows")
        request.cellWidth = try Self.number(wire.cellWidth, 32...1920, request.cellWidth, "cell_width")
        guard request.columns * request.cellWidth <= StillStyle.largestSide else {
            throw .invalid("cell_width", "makes the sheet wider than \(StillStyle.largestSide)")
        }
        guard request.style.range == .standard else {
            throw .invalid("style.range", "cannot be kept on a contact sheet")
        }
        self = request
    }

    private static func number(
        _ wire: UInt32,
        _ range: ClosedRange<Int>,
        _ usual: Int,
        _ field: String
    ) throws(EngineError) -> Int {
        guard wire != 0 else { return usual }
        guard range.contains(Int(wire)) else {
            throw .invalid(field, "must be \(range.lowerBound) … \(range.upperBound)")
        }
        return Int(wire)
    }

    package func framed() -> [UInt8] {
        var wire = Proto.ContactSheetRequest()
        wire.of = source.wire
        wire.style = style.wire
        wire.columns = UInt32(clamping: columns)
        wire.rows = UInt32(clamping: rows)
        wire.cellWidth = UInt32(clamping: cellWidth)
        return wire.framed()
    }
}

/// One message in the response stream of `ContactSheet`.
package struct ContactSheetProgress: Sendable {
    package var done: Int
    package var total: Int
    /// Set in the last message only.
    package var sheet: Still?

    package init(done: Int, total: Int, sheet: Still? = nil) {
        self.done = done
        self.total = total
        self.sheet = sheet
    }

    package func framed() -> [UInt8] {
        var wire = Proto.ContactSheetProgress()
        wire.done = UInt32(clamping: done)
        wire.total = UInt32(clamping: total)
        if let sheet { wire.sheet = sheet.wire }
        return wire.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.ContactSheetProgress(bytes)
        var progress = ContactSheetProgress(done: Int(wire.done), total: Int(wire.total))
        if let sheet = wire.sheet { progress.sheet = try Still(wire: sheet) }
        self = progress
    }
}
