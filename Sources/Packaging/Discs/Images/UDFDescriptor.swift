// SPDX-License-Identifier: Apache-2.0

/// A descriptor of UDF (ECMA-167 3/7.2): its tag, which is verified, and its little-endian fields.
struct UDFDescriptor {
    enum Kind: UInt16 {
        case anchor = 2
        case pointer = 3
        case partition = 5
        case logicalVolume = 6
        case terminator = 8
        case fileSet = 256
        case file = 257
        case allocationExtent = 258
        case fileEntry = 261
        case extendedFileEntry = 266
    }

    static let tagByteCount = 16

    let bytes: [UInt8]
    /// `nil` for a kind that the engine does not need.
    let kind: Kind?

    /// - Parameter bytes: start at the descriptor.
    /// - Returns: `nil` if they are not a descriptor, or if it is damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.tagByteCount else { return nil }
        self.bytes = bytes
        let sum = bytes[0..<Self.tagByteCount].enumerated().reduce(UInt8(0)) { $1.0 == 4 ? $0 : $0 &+ $1.1 }
        guard sum == bytes[4] else { return nil }
        let counted = Self.tagByteCount + Int(bytes[10]) + Int(bytes[11]) << 8
        if counted > Self.tagByteCount {
            guard counted <= bytes.count else { return nil }
            let checksum = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
            guard Self.checksum(bytes[Self.tagByteCount..<counted]) == checksum else { return nil }
        }
        kind = Kind(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
    }

    /// Whether the bytes have the tag of a descriptor of this kind.
    static func isTagged(_ bytes: [UInt8], at place: Int, _ kind: Kind) -> Bool {
        UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 == kind.rawValue
    }

    init?(_ bytes: [UInt8], _ kind: Kind) {
        self.init(bytes)
        guard self.kind == kind else { return nil }
    }

    /// CRC-16 of ITU-T V.41 (ECMA-167 3/7.2.6).
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var value: UInt16 = 0
        for byte in bytes {
            value ^= UInt16(byte) << 8
            for _ in 0..<8 { value = value & 0x8000 != 0 ? value << 1 ^ 0x1021 : value << 1 }
        }
        return value
    }

    /// The number of `count` bytes at `place`. Bytes beyond the end of the descriptor count as 0.
    func number(at place: Int, _ count: Int) -> Int64 {
        (0..<count).reduce(0) { value, index in
            bytes.indices.contains(place + index) ? value | Int64(bytes[place + index]) << Int64(8 * index) : value
        }
    }

    func long(at place: Int) -> UDFExtent { UDFExtent(long: self, at: place) }

    /// A string in a field of a fixed length (dstring), whose last byte says how many bytes are used.
    func text(at place: Int, _ count: Int) -> String {
        guard place + count <= bytes.count else { return "" }
        let used = min(Int(bytes[place + count - 1]), count - 1)
        return Self.text(bytes[place..<place + used])
    }

    /// OSTA compressed unicode (UDF 2.1.1).
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        guard let compression = bytes.first else { return "" }
        let rest = Array(bytes.dropFirst())
        guard compression == 16 || compression == 255 else {
            return String(String.UnicodeScalarView(rest.map { Unicode.Scalar($0) }))
        }
        let units = stride(from: 0, to: rest.count - 1, by: 2).map { UInt16(rest[$0]) << 8 | UInt16(rest[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }
}

/// A run of blocks in a partition, from an allocation descriptor.
struct UDFExtent: Hashable {
    enum Kind: Hashable {
        case recorded
        /// Not recorded; it reads as zeros.
        case empty
        /// It contains further allocation descriptors instead of data.
        case continuation
    }

    let kind: Kind
    let byteCount: Int64
    let block: Int64
    let partition: Int

    /// A short allocation descriptor names no partition: its blocks are in `partition`.
    init(short descriptor: UDFDescriptor, at place: Int, partition: Int) {
        self.init(length: descriptor.number(at: place, 4), descriptor.number(at: place + 4, 4), partition)
    }

    init(long descriptor: UDFDescriptor, at place: Int) {
        let partition = Int(descriptor.number(at: place + 8, 2))
        self.init(length: descriptor.number(at: place, 4), descriptor.number(at: place + 4, 4), partition)
    }

    /// ECMA-167 4/14.14.3.
    init(extended descriptor: UDFDescriptor, at place: Int) {
        let partition = Int(descriptor.number(at: place + 16, 2))
        self.init(length: descriptor.number(at: place, 4), descriptor.number(at: place + 12, 4), partition)
    }

    private init(length: Int64, _ block: Int64, _ partition: Int) {
        switch length >> 30 {
        case 0: kind = .recorded
        case 3: kind = .continuation
        default: kind = .empty
        }
        byteCount = length & 0x3FFF_FFFF
        self.block = block
        self.partition = partition
    }
}
