// SPDX-License-Identifier: Apache-2.0

/// program_config_element, ISO/IEC 14496-3 §4.4.1.1: the channels of a stream whose channel configuration is 0.
struct ProgramConfig: Hashable, Sendable {
    private(set) var channels = 0
    /// The element from element_instance_tag up to the alignment, one bit per byte.
    private(set) var bits: [UInt8] = []
    private(set) var comment: [UInt8] = []

    private static let elementID: UInt32 = 5

    /// Reads the element at the start of a raw data block.
    init(rawDataBlock: [UInt8]) throws(PackagingError) {
        var reader = BitReader(rawDataBlock, subject: "AAC program config")
        guard try reader.bits(3) == Self.elementID else {
            throw PackagingError(
                .unsupportedFeature,
                "the program config element that defines the channels of AAC is missing"
            )
        }
        try self.init(&reader)
    }

    /// Reads the element without its id_syn_ele, as in an AudioSpecificConfig (§4.4.1). Alignment is relative to the
    /// reader's start.
    init(_ reader: inout BitReader) throws(PackagingError) {
        _ = try copy(4 + 2 + 4, &reader)
        let front = try copy(4, &reader)
        let side = try copy(4, &reader)
        let back = try copy(4, &reader)
        let lowFrequency = try copy(2, &reader)
        let data = try copy(3, &reader)
        let coupling = try copy(4, &reader)
        // Mono, stereo and matrix mixdown.
        for width in [4, 4, 3] where try copy(1, &reader) == 1 { _ = try copy(width, &reader) }
        for _ in 0..<(front + side + back) {
            channels += try copy(1, &reader) == 1 ? 2 : 1
            _ = try copy(4, &reader)
        }
        channels += lowFrequency
        for _ in 0..<(lowFrequency + data) { _ = try copy(4, &reader) }
        for _ in 0..<coupling { _ = try copy(5, &reader) }
        reader.alignToByte()
        let length = try reader.int(8)
        for _ in 0..<length { comment.append(UInt8(truncatingIfNeeded: try reader.bits(8))) }
    }

    private mutating func copy(_ count: Int, _ reader: inout BitReader) throws(PackagingError) -> Int {
        var value = 0
        for _ in 0..<count {
            let bit = try reader.int(1)
            bits.append(UInt8(truncatingIfNeeded: bit))
            value = value << 1 | bit
        }
        return value
    }

    /// An AudioSpecificConfig that ends with this element. Alignment is relative to the start of the configuration.
    func audioSpecificConfig(_ header: ADTSHeader) -> [UInt8] {
        let head = header.audioSpecificConfig.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        var all = head + bits
        while all.count % 8 != 0 { all.append(0) }
        let bytes = stride(from: 0, to: all.count, by: 8).map { start in
            all[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        return bytes + [UInt8(truncatingIfNeeded: comment.count)] + comment
    }
}
