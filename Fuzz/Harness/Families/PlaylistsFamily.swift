// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Validation

func exercisePlaylists(_ bytes: [UInt8]) {
    let whole = PlaylistParser.parse(bytes, uri: "playlist")
    _ = PlaylistRules.problems(of: whole)
    expect(whole.problems.count <= 101, "\(whole.problems.count) problems are noted")
    let head = PlaylistParser.parse(Array(bytes.prefix(bytes.count / 2)), uri: "playlist")
    _ = PlaylistRules.problems(from: head, to: whole)
    expect(PlaylistRules.problems(from: whole, to: whole).isEmpty, "a playlist agrees with itself")
    let update = PlaylistParser.parse(Array(bytes.dropFirst(bytes.count / 2)), uri: "playlist", updating: head)
    _ = PlaylistRules.problems(ofUpdate: update, of: head)
    expect(
        update.segments.allSatisfy { $0.map.map(update.maps.indices.contains) ?? true },
        "each segment of a delta update has its init segment"
    )
    let text = String(decoding: bytes, as: UTF8.self)
    _ = LanguageCode.tag(text)
    expect(LanguageCode.terminology(text).utf8.count == 3, "a language has three letters")
}
