// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Decrypts the samples of one segment.
struct SampleKey {
    private static let byteCount = 16

    let cipher: SampleCipher
    /// 16 bytes.
    let key: [UInt8]

    /// - Throws: `segmentFailed` for a key of another length.
    init(_ cipher: SampleCipher, _ key: [UInt8]) throws(EngineError) {
        guard key.count == Self.byteCount else {
            let text = "the key of its samples has \(key.count) bytes, not \(Self.byteCount)"
            throw EngineError(.segmentFailed, text, cause: SegmentListSource.shown(cipher.keyURL))
        }
        self.cipher = cipher
        self.key = key
    }

    /// Decrypts the samples of a segment of MPEG-TS or packed audio.
    func decrypt(_ bytes: [UInt8]) throws(EngineError) -> [UInt8] {
        guard !cipher.isCounter else {
            throw EngineError(
                .sourceEncrypted,
                "its samples are encrypted with an unsupported method",
                cause: "SAMPLE-AES-CTR is defined for fMP4 only"
            )
        }
        do throws(CipherError) {
            return try SampleDecryption.segment(bytes) { (blocks) throws(CipherError) in
                try Decryption.plaintext(of: blocks, .aes128CBC, key: key, iv: cipher.iv, isPadded: false)
            }
        } catch {
            throw EngineError(.segmentFailed, "its samples cannot be decrypted", cause: "\(error)")
        }
    }
}
