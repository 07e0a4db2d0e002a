// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input is a file of subtitles, its name, and a URL.
func exerciseSidecars(_ bytes: [UInt8]) {
    _ = try? SidecarFormat.ofBinary(bytes)
    let format = try? SidecarFormat.ofText(bytes, fileExtension: "srt")
    expect(format != .pgs, "pictures are no text")
    let (encoding, length) = TextEncoding.of(bytes)
    expect(length <= bytes.count, "a mark is part of the bytes")
    expect(encoding == .legacy || encoding.charset != nil, "a detected encoding has a name")
    let ordered = ScriptFields.ordered(bytes)
    expect(ScriptFields.ordered(ordered) == ordered, "what is in order stays")
    let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let name = SidecarName(text, source: String(text.prefix(16)))
    expect(name.language.isEmpty || LanguageCode.parts(of: name.language) != nil, "a language can be read")
    guard let address = ServerAddress("http://\(text)") else { return }
    expect(!address.name.contains("/"), "a name is the last component")
    _ = address.shown
    if let other = address.replacingExtension("x", by: ".sub") {
        expect(other.name.hasSuffix(".sub"), "only the extension is replaced")
    }
}
