// SPDX-License-Identifier: Apache-2.0

/// An SCTE 35 message, `splice_info_section()` (ANSI/SCTE 35 §9.6), from a playlist or from its own elementary stream
/// in a transport stream. Pure; times are in 90 kHz ticks, 33 bits.
package struct SpliceInfo: Hashable, Sendable {
    package enum Command: Hashable, Sendable {
        /// `splice_null()`: a heartbeat, or a carrier of descriptors.
        case null
        case insert(Insert)
        /// `time_signal()`: the time at which the segmentation descriptors apply. `nil`: immediately.
        case timeSignal(time: Int64?)
        /// Any other command, by `splice_command_type`.
        case other(UInt8)
    }

    /// `splice_insert()`.
    package struct Insert: Hashable, Sendable {
        package var event: UInt32
        /// Cancels an earlier message of the same event; the remaining fields are not set.
        package var isCancelled = false
        /// Whether a break begins; otherwise it ends.
        package var isOut = false
        /// `nil`: immediately, or stated for each component only.
        package var time: Int64?
        package var duration: Int64?
        /// `auto_return`: the break ends after its duration, without another message.
        package var returnsByItself = false
    }

    /// `segmentation_descriptor()`.
    package struct Segmentation: Hashable, Sendable {
        package enum Edge: Hashable, Sendable {
            case start, end
        }

        package var event: UInt32
        package var isCancelled = false
        package var duration: Int64?
        /// `segmentation_type_id`.
        package var type: UInt8 = 0
        /// `segmentation_upid_type` and the identifier.
        package var identifierType: UInt8 = 0
        package var identifier: [UInt8] = []
        package var number = 0
        package var count = 0

        /// Whether the start or end of a break, an advertisement or a placement opportunity is signalled. `nil` for
        /// other types.
        package var breakEdge: Edge? {
            switch type {
            case 0x22, 0x30, 0x32, 0x34, 0x36, 0x44, 0x46: .start
            case 0x23, 0x31, 0x33, 0x35, 0x37, 0x45, 0x47: .end
            default: nil
            }
        }
    }

    package var command: Command
    package var segmentations: [Segmentation] = []

    private static let tableID: UInt32 = 0xFC
    private static let cue: UInt32 = 0x4355_4549
    private static let descriptorLimit = 256
    private static let wrap: Int64 = 1 << 33

    /// - Parameter bytes: the section from its first byte. Bytes after the section are ignored.
    /// - Throws: `malformed` if the checksum is wrong, `unsupportedFeature` if the section is encrypted.
    package init(_ bytes: [UInt8]) throws(PackagingError) {
        var reader = BitReader(bytes, subject: "SCTE 35 message")
        guard try reader.bits(8) == Self.tableID else {
            throw PackagingError(.malformed, "an SCTE 35 message does not begin with FC")
        }
        try reader.skip(4)
        let length = try reader.int(12) + 3
        guard length <= bytes.count else {
            throw PackagingError(.truncated, "an SCTE 35 message claims \(length) bytes, \(bytes.count) remain")
        }
        guard CRC32.checksum(of: bytes.prefix(length)) == 0 else {
            throw PackagingError(.malformed, "an SCTE 35 message has a wrong checksum")
        }
        try reader.skip(8)
        guard try !reader.flag() else {
            throw PackagingError(.unsupportedFeature, "an SCTE 35 message is encrypted")
        }
        try reader.skip(6)
        let adjustment = try reader.number(33)
        try reader.skip(8 + 12)
        let commandLength = try reader.int(12)
        let type = UInt8(truncatingIfNeeded: try reader.bits(8))
        let start = reader.position
        command = try Self.command(type, adjustment, &reader)
        if commandLength != 0xFFF {
            // Unknown fields may follow the known ones.
            guard start + commandLength * 8 >= reader.position else {
                throw PackagingError(.malformed, "an SCTE 35 command is longer than its stated length")
            }
            try reader.skip(start + commandLength * 8 - reader.position)
        } else if case .other = command {
            // The descriptors cannot be found after a command of unknown type and length.
            return
        }
        try readDescriptors(&reader)
    }

    private static func command(
        _ type: UInt8,
        _ adjustment: Int64,
        _ reader: inout BitReader
    ) throws(PackagingError) -> Command {
        switch type {
        case 0: .null
        case 5: .insert(try insert(adjustment, &reader))
        case 6: .timeSignal(time: try time(adjustment, &reader))
        default: .other(type)
        }
    }

    private static func insert(_ adjustment: Int64, _ reader: inout BitReader) throws(PackagingError) -> Insert {
        var insert = Insert(event: try reader.bits(32))
        insert.isCancelled = try reader.flag()
        try reader.skip(7)
        guard !insert.isCancelled else { return insert }
        insert.isOut = try reader.flag()
        let isWhole = try reader.flag()
        let hasDuration = try reader.flag()
        let isImmediate = try reader.flag()
        try reader.skip(4)
        if isWhole, !isImmediate { insert.time = try time(adjustment, &reader) }
        if !isWhole {
            for _ in 0..<(try reader.int(8)) {
                try reader.skip(8)
                if !isImmediate { _ = try time(adjustment, &reader) }
            }
        }
        if hasDuration {
            insert.returnsByItself = try reader.flag()
            try reader.skip(6)
            insert.duration = try reader.number(33)
        }
        // unique_program_id, avail_num, avails_expected.
        try reader.skip(32)
        return insert
    }

    /// `splice_time()`, with `pts_adjustment` added.
    private static func time(_ adjustment: Int64, _ reader: inout BitReader) throws(PackagingError) -> Int64? {
        guard try reader.flag() else {
            try reader.skip(7)
            return nil
        }
        try reader.skip(6)
        let sum = try reader.number(33) + adjustment
        return sum % wrap
    }

    private mutating func readDescriptors(_ reader: inout BitReader) throws(PackagingError) {
        let end = try reader.int(16) * 8 + reader.position
        for _ in 0..<Self.descriptorLimit where reader.position < end {
            let tag = try reader.bits(8)
            let length = try reader.int(8)
            let next = reader.position + length * 8
            guard next <= end else {
                throw PackagingError(.malformed, "an SCTE 35 descriptor is longer than its list")
            }
            if tag == 2, length >= 4, try reader.bits(32) == Self.cue {
                segmentations.append(try Self.segmentation(&reader))
            }
            guard reader.position <= next else {
                throw PackagingError(.malformed, "an SCTE 35 descriptor is longer than its stated length")
            }
            try reader.skip(next - reader.position)
        }
    }

    private static func segmentation(_ reader: inout BitReader) throws(PackagingError) -> Segmentation {
        var segmentation = Segmentation(event: try reader.bits(32))
        segmentation.isCancelled = try reader.flag()
        try reader.skip(7)
        guard !segmentation.isCancelled else { return segmentation }
        let isWhole = try reader.flag()
        let hasDuration = try reader.flag()
        try reader.skip(6)
        // A tag and an offset for each component.
        if !isWhole { try reader.skip(try reader.int(8) * 48) }
        if hasDuration { segmentation.duration = try reader.number(40) }
        segmentation.identifierType = UInt8(truncatingIfNeeded: try reader.bits(8))
        for _ in 0..<(try reader.int(8)) {
            segmentation.identifier.append(UInt8(truncatingIfNeeded: try reader.bits(8)))
        }
        segmentation.type = UInt8(truncatingIfNeeded: try reader.bits(8))
        segmentation.number = try reader.int(8)
        segmentation.count = try reader.int(8)
        return segmentation
    }
}

extension BitReader {
    /// - Parameter count: 33 to 62.
    fileprivate mutating func number(_ count: Int) throws(PackagingError) -> Int64 {
        let high = Int64(try bits(count - 32))
        return high << 32 | Int64(try bits(32))
    }
}
