// SPDX-License-Identifier: Apache-2.0

/// Which bytes of samples in transport streams and packed audio are encrypted, and their decryption by a cipher that is
/// passed in: SAMPLE-AES of Apple's "MPEG-2 Stream Encryption Format for HTTP Live Streaming". Pure.
package enum SampleDecryption {
    package static let blockLength = 16

    /// Decrypts whole blocks that are one chain of CBC, from its initialization vector on. Returns as many bytes.
    package typealias Chain<Failure: Error> = ([UInt8]) throws(Failure) -> [UInt8]

    /// The codecs that SAMPLE-AES covers in transport streams.
    package enum Codec: Hashable, Sendable, CaseIterable {
        case h264, aac, ac3, eac3
    }

    /// A packet of a transport stream or of packed audio: an access unit with start codes, or whole frames with their
    /// headers. What is no such thing is returned as it is.
    package static func packet<Failure: Error>(
        _ packet: [UInt8],
        _ codec: Codec,
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        switch codec {
        case .h264: try accessUnit(packet, decrypt)
        case .aac: try frames(packet, length: adtsFrame, clear: { adtsHeader($0) + leader }, decrypt)
        case .ac3: try frames(packet, length: ac3Frame, clear: { _ in leader }, decrypt)
        case .eac3: try frames(packet, length: eac3Frame, clear: { _ in leader }, decrypt)
        }
    }

    /// A transport stream or packed audio. Anything else is returned as it is.
    package static func segment<Failure: Error>(
        _ bytes: [UInt8],
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        if EncryptedTransportStream.isOne(bytes) { return try EncryptedTransportStream(bytes).clear(decrypt) }
        let start = tagLength(bytes)
        guard let codec = packedCodec(bytes[start...]) else { return bytes }
        return bytes[..<start] + (try packet(Array(bytes[start...]), codec, decrypt))
    }

    /// How many bytes the ID3 tags take at the start of packed audio.
    private static func tagLength(_ bytes: [UInt8]) -> Int {
        var at = 0
        while bytes.count >= at + 10, bytes[at..<(at + 3)].elementsEqual("ID3".utf8) {
            let footer = bytes[at + 5] & 0x10 != 0 ? 10 : 0
            at += 10 + footer + bytes[(at + 6)..<(at + 10)].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        }
        return min(at, bytes.count)
    }

    private static func packedCodec(_ bytes: ArraySlice<UInt8>) -> Codec? {
        let head = Array(bytes.prefix(6))
        guard head.count == 6 else { return nil }
        if head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return .aac }
        // `bsid`
        guard head[0] == 0x0B, head[1] == 0x77 else { return nil }
        return head[5] >> 3 > 10 ? .eac3 : .ac3
    }

    // MARK: H.264

    /// NAL units of slices are encrypted from their 33rd byte on, one block in ten, if they have more than 48 bytes. The
    /// encryption comes before the emulation prevention that is in the stream: it is undone first, and what results is
    /// the unit with the emulation prevention of its encoder.
    private static func accessUnit<Failure: Error>(
        _ packet: [UInt8],
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(packet.count)
        var copied = 0
        var code = AnnexB.startCode(in: packet.span, from: 0)
        while let begin = code.map({ $0 + 3 }), begin < packet.count {
            code = AnnexB.startCode(in: packet.span, from: begin)
            // Zeros before a start code are no part of the unit.
            let end = packet[begin..<(code ?? packet.count)].lastIndex { $0 != 0 }.map { $0 + 1 } ?? begin
            guard end - begin > 48, isSlice(packet[begin]) else { continue }
            result += packet[copied..<begin]
            result += try slice(withoutEmulationPrevention(packet[begin..<end]), decrypt)
            copied = end
        }
        return result + packet[copied...]
    }

    private static func isSlice(_ header: UInt8) -> Bool { [1, 5].contains(header & 0x1F) }

    private static func slice<Failure: Error>(
        _ unit: [UInt8],
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        var places: [Int] = []
        var at = 32
        // The last bytes stay clear, even if they are a whole block.
        while unit.count - at > blockLength {
            places.append(at)
            at += 10 * blockLength
        }
        return try replacing(places.map { $0..<($0 + blockLength) }, in: unit, decrypt)
    }

    /// `RawPayload` without the limit for parameter sets.
    private static func withoutEmulationPrevention(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        return payload
    }

    // MARK: Audio

    /// The bytes at the start of a frame, behind the header of ADTS, that are never encrypted.
    private static let leader = 16

    /// The whole blocks behind the clear bytes of each frame are one chain; what is left over at its end is clear.
    private static func frames<Failure: Error>(
        _ packet: [UInt8],
        length: (ArraySlice<UInt8>) -> Int?,
        clear: (ArraySlice<UInt8>) -> Int,
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(packet.count)
        var rest = packet[...]
        while let count = length(rest), count > 0, count <= rest.count {
            let frame = Array(rest.prefix(count))
            let start = clear(rest)
            let blocks = max(0, count - start) / blockLength
            result += blocks == 0 ? frame : try replacing([start..<(start + blocks * blockLength)], in: frame, decrypt)
            rest = rest.dropFirst(count)
        }
        return result + rest
    }

    private static func adtsFrame(_ bytes: ArraySlice<UInt8>) -> Int? {
        ADTSHeader(Array(bytes.prefix(9)).span)?.frameByteCount
    }

    private static func adtsHeader(_ bytes: ArraySlice<UInt8>) -> Int {
        ADTSHeader(Array(bytes.prefix(9)).span)?.byteCount ?? 0
    }

    private static func ac3Frame(_ bytes: ArraySlice<UInt8>) -> Int? {
        do throws(PackagingError) {
            return try AC3Frame(Array(bytes.prefix(16))).byteCount
        } catch {
            return nil
        }
    }

    /// `frmsiz` alone: what follows may be encrypted.
    private static func eac3Frame(_ bytes: ArraySlice<UInt8>) -> Int? {
        let head = Array(bytes.prefix(4))
        guard head.count == 4, head[0] == 0x0B, head[1] == 0x77 else { return nil }
        return 2 * ((Int(head[2] & 7) << 8 | Int(head[3])) + 1)
    }

    /// Decrypts the bytes of all ranges as one chain, and puts them back.
    private static func replacing<Failure: Error>(
        _ ranges: [Range<Int>],
        in bytes: [UInt8],
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        var encrypted: [UInt8] = []
        for range in ranges { encrypted += bytes[range] }
        guard !encrypted.isEmpty else { return bytes }
        let plain = try decrypt(encrypted)
        precondition(plain.count == encrypted.count, "a chain of CBC without padding keeps its length")
        var result = bytes
        var at = 0
        for range in ranges {
            result.replaceSubrange(range, with: plain[at..<(at + range.count)])
            at += range.count
        }
        return result
    }
}
