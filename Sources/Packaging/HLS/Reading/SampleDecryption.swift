// SPDX-License-Identifier: Apache-2.0

/// SAMPLE-AES in transport streams and packed audio (Apple's "MPEG-2 Stream Encryption Format for HTTP Live
/// Streaming"): finds the encrypted bytes of samples, and decrypts them with a cipher that the caller passes. Pure.
package enum SampleDecryption {
    package static let blockLength = 16

    /// Decrypts whole blocks as one CBC chain, which starts with the initialization vector. Returns as many bytes as it
    /// is given.
    package typealias Chain<Failure: Error> = ([UInt8]) throws(Failure) -> [UInt8]

    /// The codecs that SAMPLE-AES covers in transport streams.
    package enum Codec: Hashable, Sendable, CaseIterable {
        case h264, aac, ac3, eac3
    }

    /// Decrypts a PES payload or packed audio: an access unit with start codes, or whole audio frames with their
    /// headers. Bytes in any other form are returned unchanged.
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

    /// Decrypts a transport stream or packed audio. Bytes in any other form are returned unchanged.
    package static func segment<Failure: Error>(
        _ bytes: [UInt8],
        _ decrypt: Chain<Failure>
    ) throws(Failure) -> [UInt8] {
        if EncryptedTransportStream.isOne(bytes) { return try EncryptedTransportStream(bytes).clear(decrypt) }
        let start = tagLength(bytes)
        guard let codec = packedCodec(bytes[start...]) else { return bytes }
        return bytes[..<start] + (try packet(Array(bytes[start...]), codec, decrypt))
    }

    /// The total size of the ID3 tags at the start of packed audio.
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

    /// Slice NAL units of more than 48 bytes are encrypted from byte 32 on, one block in ten. The packager encrypts the
    /// NAL unit with the encoder's emulation prevention bytes, and then applies emulation prevention again. So the
    /// outer emulation prevention is removed before decryption, and the encoder's remains in the result.
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
            // Zeros before a start code are not part of the unit.
            let end = packet[begin..<(code ?? packet.count)].lastIndex { $0 != 0 }.map { $0 + 1 } ?? begin
            guard end - begin > 48, isSlice(packet[begin]) else { continue }
            result += packet[copied..<begin]
            result += try slice(RawPayload.withoutEmulationPrevention(packet[begin..<end]), decrypt)
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
        // The last bytes are clear, even if they are a whole block.
        while unit.count - at > blockLength {
            places.append(at)
            at += 10 * blockLength
        }
        return try replacing(places.map { $0..<($0 + blockLength) }, in: unit, decrypt)
    }

    // MARK: Audio

    /// The number of bytes at the start of a frame, after any ADTS header, that are never encrypted.
    private static let leader = 16

    /// The whole blocks after the clear bytes of each frame are one CBC chain; the remaining bytes are clear.
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

    /// Reads only `frmsiz`, because later fields may be encrypted.
    private static func eac3Frame(_ bytes: ArraySlice<UInt8>) -> Int? {
        let head = Array(bytes.prefix(4))
        guard head.count == 4, head[0] == 0x0B, head[1] == 0x77 else { return nil }
        return 2 * ((Int(head[2] & 7) << 8 | Int(head[3])) + 1)
    }

    /// Replaces the bytes of all ranges with their plaintext, decrypted as one chain.
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
