// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension ContactSheetRequest {
    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ContactSheetRequest.self) { wire throws(EngineError) in
            var request = ContactSheetRequest(of: try unsafe StillSource(wire: wire.of))
            request.style = try unsafe StillRequest.style(wire.style)
            request.columns = try Self.number(unsafe wire.columns, 1...20, request.columns, "columns")
            request.rows = try Self.number(unsafe wire.rows, 1...20, request.rows, "rows")
            request.cellWidth = try Self.number(unsafe wire.cell_width, 32...1920, request.cellWidth, "cell_width")
            guard request.columns * request.cellWidth <= StillStyle.largestSide else {
                throw .invalid("cell_width", "makes the sheet wider than \(StillStyle.largestSide)")
            }
            guard request.style.range == .standard else {
                throw .invalid("style.range", "cannot be kept on a contact sheet")
            }
            return request
        }
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
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__ContactSheetRequest.self)
            unsafe wire.pointee.of = source.wire(in: arena)
            unsafe wire.pointee.style = style.wire(in: arena)
            unsafe wire.pointee.columns = UInt32(clamping: columns)
            unsafe wire.pointee.rows = UInt32(clamping: rows)
            unsafe wire.pointee.cell_width = UInt32(clamping: cellWidth)
            return unsafe wire
        }
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
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__ContactSheetProgress.self)
            unsafe wire.pointee.done = UInt32(clamping: done)
            unsafe wire.pointee.total = UInt32(clamping: total)
            if let sheet { unsafe wire.pointee.sheet = sheet.wire(in: arena) }
            return unsafe wire
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__ContactSheetProgress.self) { wire throws(EngineError) in
            var progress = ContactSheetProgress(done: Int(unsafe wire.done), total: Int(unsafe wire.total))
            if let sheet = unsafe wire.sheet { progress.sheet = try unsafe Still(wire: sheet.pointee) }
            return progress
        }
    }
}
