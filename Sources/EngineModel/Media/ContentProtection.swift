// SPDX-License-Identifier: Apache-2.0

/// How the samples of a stream are encrypted, as the container declares it.
public struct ContentProtection: Hashable, Sendable {
    /// `cenc`, `cens`, `cbc1` or `cbcs` (ISO/IEC 23001-7 §10), `piff`, `itun` or `adrm` in MP4; `AES-CTR` or another
    /// cipher in Matroska; `transport scrambling` in a transport stream. Empty if the container does not state it.
    public var scheme: String
    /// The key systems that can supply the key, such as `Widevine`; an unknown one by its UUID. Empty if the container
    /// names none.
    public var keySystems: [String]
    /// The default key ID in hexadecimal digits. Empty if the container states none.
    public var keyID: String

    public init(scheme: String, keySystems: [String] = [], keyID: String = "") {
        self.scheme = scheme
        self.keySystems = keySystems
        self.keyID = keyID
    }
}

extension ContentProtection: CustomStringConvertible {
    /// Such as `encrypted with cenc for Widevine and PlayReady`.
    public var description: String {
        let cipher = scheme.isEmpty ? "encrypted with an undeclared scheme" : "encrypted with \(scheme)"
        guard let last = keySystems.last else { return "\(cipher) for an undeclared key system" }
        let others = keySystems.dropLast().joined(separator: ", ")
        return others.isEmpty ? "\(cipher) for \(last)" : "\(cipher) for \(others) and \(last)"
    }
}

extension EngineError {
    /// - Parameters:
    ///   - what: the source, or the requested part of it.
    ///   - streams: its streams; the message names the encrypted ones as the cause.
    package static func encrypted(_ what: String, _ streams: [StreamDescription]) -> EngineError {
        let causes = streams.compactMap { stream in
            stream.protection.map { "\(stream.codec.rawValue) stream \(stream.index) is \($0)" }
        }
        return EngineError(
            .sourceEncrypted,
            "\(what) is encrypted in a way that the engine does not decrypt",
            cause: causes.joined(separator: "; ")
        )
    }
}
