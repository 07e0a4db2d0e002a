// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

/// Two growing lists of packed audio: segments of 75 frames of AAC, which are 1.6 s. The second list stands for the
/// audio beside a list of video: its first frame may be earlier or later than that of the first list.
@Suite("What is announced of lists that grow together", .timeLimit(.minutes(10)))
struct AnnouncedAudioTests {
    private static let framesPerSegment = 75
    /// The duration of a frame, in ticks of 90 kHz.
    private static let frameTicks: Int64 = 1920
    private static let length = MediaTime.seconds(1.6)

    /// The tag that states when the first frame of a segment is presented.
    private static func tag(_ ticks: Int64) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let content = owner + (0..<8).reversed().map { UInt8(truncatingIfNeeded: ticks >> (8 * Int64($0))) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    /// - Parameter late: by how many frames the list is later than its playlist implies.
    private static func bodies(_ name: String, _ count: Int, late: Int = 0) -> [(String, [UInt8])] {
        (0..<count).map { segment in
            let first = segment * framesPerSegment
            let ticks = 900_000 + Int64(first + late) * frameTicks
            return ("http://host/\(name)\(segment)", tag(ticks) + ADTSBytes.stream(first..<first + framesPerSegment))
        }
    }

    private static func part(_ name: String, _ count: Int) throws -> ListPart {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:2", "#EXT-X-PLAYLIST-TYPE:EVENT"]
        for segment in 0..<count { lines += ["#EXTINF:1.6,", "\(name)\(segment)"] }
        let bytes = Array((lines + [""]).joined(separator: "\n").utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/\(name).m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        let rendition = name == "a" ? nil : ListRendition(name: name, language: "", dispositions: [])
        return ListPart(try SegmentList(playlist, name: name), rendition, isIndependent: true, playlist: playlist)
    }

    /// How many segments each list has, by how many frames the second list is late, and how many segments are
    /// announced.
    struct Case: Sendable, CustomTestStringConvertible {
        let listed: (Int, Int)
        let late: Int
        let announced: Int
        var testDescription: String { "\(listed.0) and \(listed.1) segments, \(late) frames later" }
    }

    private static let cases = [
        Case(listed: (4, 4), late: 0, announced: 3),
        Case(listed: (4, 4), late: -1, announced: 3),
        Case(listed: (4, 4), late: 1, announced: 3),
        // Half a second is 23.4 frames.
        Case(listed: (4, 4), late: 23, announced: 3),
        Case(listed: (4, 4), late: 24, announced: 4),
        Case(listed: (4, 5), late: -1, announced: 4),
        Case(listed: (4, 5), late: -51, announced: 4),
        Case(listed: (4, 5), late: -52, announced: 3),
        Case(listed: (5, 4), late: 0, announced: 3),
    ]

    @Test(
        "the listed segments have all packets of the announced ones, and the first packet after them",
        arguments: cases
    )
    func reach(each: Case) async throws {
        let bodies = Self.bodies("a", each.listed.0) + Self.bodies("b", each.listed.1, late: each.late)
        let source = SegmentListSource(
            path: "list",
            isRemote: true,
            ListContent(parts: [try Self.part("a", each.listed.0), try Self.part("b", each.listed.1)], digest: ""),
            resources: ScriptedResources(Dictionary(uniqueKeysWithValues: bodies)),
            reload: { _, _ throws(EngineError) in throw EngineError(.internal, "a list was loaded again") }
        )
        let times = try await ReadingThread().run { () throws(EngineError) -> [Int: [MediaTime]] in
            let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: InterruptFlag())
            let infos = reader.streamInfos()
            reader.prepareForPackets(of: Set(infos.map(\.index)))
            var found: [Int: [MediaTime]] = [:]
            // No scan follows the lists, so reading ends with what they list.
            while let packet = try reader.readPacket() {
                let time = MediaTime(packet.pts ?? packet.dts ?? .min, in: infos[packet.streamIndex].timeBase)
                found[packet.streamIndex, default: []].append(time)
            }
            return found
        }
        let count = source.plan(for: .fixture(), measured: 0, holdsBack: false).segmentCount
        #expect(count == each.announced)
        let (first, last) = (try #require(times[0]?.first), try #require(times[1]?.last))
        let end = first + MediaTime(microseconds: Int64(count) * Self.length.microseconds)
        #expect(last >= end)
    }
}
