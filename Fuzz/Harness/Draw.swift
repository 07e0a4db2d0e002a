// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Reads numbers from an input. After its end, every byte is 0.
struct Draw {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// A number from 0 up to `limit`, which must be positive and is not included.
    mutating func index(_ limit: Int) -> Int { (Int(byte()) << 8 | Int(byte())) % limit }

    /// Any number; often one at which sums and products overflow.
    mutating func number() -> Int64 {
        let kind = byte()
        let small = Int64(Int8(bitPattern: kind))
        switch kind & 7 {
        case 0: return .max &- small
        case 1: return .min &+ small
        case 2: return small
        case 3: return small << 32
        case 4: return Int64(Int32(bitPattern: bytes(4).reduce(0) { $0 << 8 | UInt32($1) }))
        case 5: return small &* 40_000
        case 6: return small &* 1_000_000_007
        default: return bytes(8).reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    /// A number of 32 bits, as in libavutil.
    mutating func word() -> Int { Int(Int32(truncatingIfNeeded: number())) }

    mutating func time() -> MediaTime { MediaTime(microseconds: number()) }

    /// A width or height, up to more than decoders report.
    mutating func side() -> Int {
        switch byte() & 3 {
        case 0: 1 << Int(byte() & 15)
        case 1: Int(byte())
        case 2: index(1 << 16)
        default: 16_384
        }
    }
}
