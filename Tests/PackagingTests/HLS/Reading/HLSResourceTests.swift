// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

@Suite struct HLSProtectionTests {
    private static let url = "https://host/k"

    @Test(
        "The key, the cipher and the IV follow from the tags",
        arguments: [
            ([], 5, HLSProtection.none),
            (
                [HLSKey(method: .aes128, url: url)], 0x0102_0304_0506,
                .resource(.aes128, keyURL: url, iv: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
            ),
            (
                [HLSKey(method: .aes256, url: url, iv: Array(1...16))], 5,
                .resource(.aes256, keyURL: url, iv: Array(1...16))
            ),
            (
                [
                    HLSKey(method: .sampleAES, url: "skd://", format: "com.apple.streamingkeydelivery"),
                    HLSKey(method: .sampleAES, url: url, iv: Array(1...16)),
                ], 5,
                .samples(.cbc, keyURL: url, iv: Array(1...16))
            ),
            ([HLSKey(method: .sampleAESCTR, url: url)], nil, .samples(.ctr, keyURL: url, iv: HLSProtection.iv(0))),
        ] as [([HLSKey], Int64?, HLSProtection)]
    )
    func decided(_ keys: [HLSKey], _ sequence: Int64?, _ expected: HLSProtection) throws {
        #expect(try HLSProtection(keys: keys, sequence: sequence) == expected)
    }

    @Test(
        "Unsupported protection fails with the name of its system or method",
        arguments: [
            (
                [
                    "com.apple.streamingkeydelivery", "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",
                    "com.microsoft.playready",
                ],
                "SAMPLE-AES", .keySystems(["FairPlay", "Widevine", "PlayReady"])
            ),
            (
                ["urn:uuid:00000000-0000-0000-0000-000000000001"], "SAMPLE-AES",
                .keySystems(["00000000-0000-0000-0000-000000000001"])
            ),
            (["identity"], "ROT-13", .method("ROT-13")),
            (["identity"], "AES-128", .noVector),
        ] as [([String], String, HLSProtection.Failure)]
    )
    func refused(_ formats: [String], _ method: String, _ expected: HLSProtection.Failure) throws {
        let tags = formats.map { "#EXT-X-KEY:METHOD=\(method),URI=\"k\",KEYFORMAT=\"\($0)\"" }
        let playlist = try Script.media(tags.joined(separator: "\n"), "#EXTINF:6,", "a")
        let keys = try #require(playlist.segments.first).keys
        #expect(keys.count == formats.count)
        #expect(throws: expected) { try HLSProtection(keys: keys, sequence: nil) }
    }
}

@Suite struct PackedAudioHeadTests {
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

    private static func frame(_ name: String, _ content: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        Array(name.utf8) + size(content.count) + [0, flags] + content
    }

    private static func size(_ count: Int) -> [UInt8] { [0, 0, UInt8(count >> 7 & 0x7F), UInt8(count & 0x7F)] }

    private static func tag(_ version: UInt8, _ body: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags] + size(body.count) + body
            + (flags & 0x10 != 0 ? [UInt8](repeating: 0, count: 10) : [])
    }

    private static let stamp = owner + [0, 0, 0, 1, 0xFF, 0, 0x12, 0x34]
    private static let sync: [UInt8] = [0xFF, 0xF1, 0x50, 0x80]

    @Test(
        "The timestamp is found after other frames and tags, and the audio after all tags",
        arguments: [
            (tag(4, frame("PRIV", stamp)), 0x1_FF00_1234),
            (tag(3, frame("TXXX", [1, 2]) + frame("PRIV", owner + [0, 0, 0, 0, 0, 0, 0, 9])), 9),
            (tag(4, frame("PRIV", [65, 0, 1])) + tag(4, frame("PRIV", stamp)), 0x1_FF00_1234),
            // The reserved upper bits are not part of the number.
            (tag(4, frame("PRIV", owner + [0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 7])), 7),
            (tag(4, [0, 0, 0, 6, 1, 0] + frame("PRIV", stamp), flags: 0x40), 0x1_FF00_1234),
            (tag(4, frame("PRIV", stamp), flags: 0x10), 0x1_FF00_1234),
            // Up to version 3, frame sizes do not count the zeros that unsynchronisation inserts.
            (tag(3, frame("PRIV", stamp).flatMap { $0 == 0xFF ? [$0, 0] : [$0] }, flags: 0x80), 0x1_FF00_1234),
            (tag(4, frame("PRIV", owner + [0, 0, 0, 1, 0xFF, 0, 0, 0x12, 0x34], flags: 2)), 0x1_FF00_1234),
            (tag(4, frame("PRIV", owner + [1, 2])), nil), (tag(2, [1, 2, 3]), nil), ([], nil),
        ] as [([UInt8], Int64?)]
    )
    func found(_ bytes: [UInt8], _ timestamp: Int64?) throws {
        let head = try PackedAudioHead(bytes + Self.sync)
        #expect(head.byteCount == bytes.count)
        #expect(head.timestamp == timestamp)
    }

    @Test(
        "Tags that are truncated or have no valid size are rejected",
        arguments: [(4, .truncated), (9, .truncated), (20, .truncated)] as [(Int, PackagingError.Code)]
    )
    func cutOff(_ count: Int, _ code: PackagingError.Code) {
        let bytes = Array(Self.tag(4, Self.frame("PRIV", Self.stamp)).prefix(count))
        let error = #expect(throws: PackagingError.self) { try PackedAudioHead(bytes) }
        #expect(error?.code == code)
        #expect(throws: PackagingError.self) { try PackedAudioHead(Array("ID3".utf8) + [4, 0, 0, 0x80, 0, 0, 0]) }
    }
}

@Suite struct WebVTTTimestampMapTests {
    @Test(
        "The map of a segment is read with its attributes in either order",
        arguments: [
            (
                "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.500\n\n",
                WebVTTTimestampMap(ticks: 900_000, local: .seconds(1.5))
            ),
            (
                "WEBVTT\r\nX-TIMESTAMP-MAP=LOCAL:01:00:00.000, MPEGTS:8589934593\r\n\r\n",
                WebVTTTimestampMap(ticks: 1, local: .seconds(3600))
            ),
            (
                "WEBVTT\rX-TIMESTAMP-MAP=LOCAL:02:03.004,MPEGTS:0\r\r",
                WebVTTTimestampMap(ticks: 0, local: .seconds(123.004))
            ),
            ("WEBVTT\n\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:00:00:00.000\n", nil),
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:x,LOCAL:00:00:00.000\n\n", nil),
            ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:00:61\n\n", nil), ("", nil),
        ] as [(String, WebVTTTimestampMap?)]
    )
    func read(_ text: String, _ map: WebVTTTimestampMap?) {
        #expect(WebVTTTimestampMap(Array(text.utf8)) == map)
    }
}
