// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Keyframes of a Matroska file without Cues", .timeLimit(.minutes(10)))
struct MatroskaSearchTests {
    /// How a muxer writes clusters.
    enum Form: CaseIterable { case sized, live, grouped }

    private static func element(_ id: String, _ content: [UInt8], isSized: Bool = true) -> [UInt8] {
        guard isSized else { return hex(id) + hex("01ffffffffffffff") + content }
        return hex(id) + [0x10 | UInt8(content.count >> 24)]
            + [16, 8, 0].map { UInt8(content.count >> $0 & 255) } + content
    }

    private static func block(track: UInt8, _ time: Int, isKey: Bool, _ form: Form) -> [UInt8] {
        let payload = [UInt8](repeating: 0x1F, count: 2000)
        let head = [0x80 | track, UInt8(time >> 8 & 255), UInt8(time & 255)]
        guard form == .grouped else { return element("a3", head + [isKey ? 0x80 : 0] + payload) }
        return element("a0", element("a1", head + [0] + payload) + (isKey ? [] : element("fb", [1])))
    }

    private struct File {
        var bytes: [UInt8]
        /// By stream index.
        var keyframes: [[MatroskaSearch.Keyframe]]
    }

    /// Clusters of 200 ticks with video every 40 and audio every 20, and a video keyframe every `distance` ticks. Stream
    /// 0 is track 5 (video), stream 1 is track 2 (audio).
    ///
    /// - Parameter step: the distance between the timestamps of clusters. Values other than 200 contradict the blocks.
    private static func file(
        _ form: Form,
        clusters: Int,
        distance: Int,
        start: Int = 0,
        step: Int = 200,
        hasKeyframes: Bool = true
    ) -> File {
        func track(_ number: UInt8, _ type: UInt8) -> [UInt8] {
            element("ae", element("d7", [number]) + element("83", [type]) + element("86", [0x58]))
        }
        var bytes =
            element("1a45dfa3", []) + hex("18538067 01ffffffffffffff")
            + element("1654ae6b", track(5, 1) + track(9, 0x12) + track(2, 2))
        var keyframes: [[MatroskaSearch.Keyframe]] = [[], []]
        for number in 0..<clusters {
            let time = start + number * step
            let stamp = element("e7", [24, 16, 8, 0].map { UInt8(time >> $0 & 255) })
            var content = form == .sized ? element("bf", [1, 2, 3, 4]) + stamp : stamp
            let position = Int64(bytes.count)
            for tick in stride(from: 0, to: 200, by: 20) {
                if tick % 40 == 0 {
                    let isKey = hasKeyframes && (time + tick - start) % distance == 0
                    content += block(track: 5, tick, isKey: isKey, form)
                    if isKey { keyframes[0].append(.init(time: Int64(time + tick), cluster: position)) }
                }
                content += block(track: 2, tick, isKey: true, form)
                keyframes[1].append(.init(time: Int64(time + tick), cluster: position))
            }
            bytes += element("1f43b675", content, isSized: form != .live)
            if number == clusters / 2 { bytes += element("ec", [UInt8](repeating: 0, count: 50)) }
        }
        return File(bytes: bytes, keyframes: keyframes)
    }

    private static func find(
        _ file: File,
        _ stream: Int,
        _ time: Int64,
        _ search: inout MatroskaSearch
    ) -> (found: MatroskaSearch.Keyframe?, byteCount: Int) {
        var byteCount = 0
        let found = search.keyframe(of: stream, atOrBefore: time) { offset, count in
            guard offset >= 0, offset < file.bytes.count else { return [] }
            let bytes = Array(file.bytes[Int(offset)...].prefix(count))
            byteCount += bytes.count
            return bytes
        }
        return (found, byteCount)
    }

    private static func search(_ file: File) -> MatroskaSearch {
        MatroskaSearch(byteCount: Int64(file.bytes.count), head: Array(file.bytes.prefix(1 << 16)))
    }

    @Test(
        "the last keyframe at or before any time is found, reading a small part of the file",
        arguments: Form.allCases,
        [200, 6000]
    )
    func any(form: Form, distance: Int) {
        let file = Self.file(form, clusters: 300, distance: distance, start: 5000)
        var search = Self.search(file)
        var generator = SplitMix(state: UInt64(distance))
        let times = (0..<6).map { _ in Int64.random(in: 5000...65_000, using: &generator) } + [5000, 5001, 200_000]
        for time in times {
            for stream in 0...1 {
                let (found, byteCount) = Self.find(file, stream, time, &search)
                #expect(found == file.keyframes[stream].last { $0.time <= time }, "stream \(stream) at \(time)")
                #expect(byteCount < file.bytes.count / 2, "stream \(stream) at \(time)")
            }
        }
    }

    @Test("nothing is found before the first cluster, in a stream that does not exist, or in a file without clusters")
    func none() {
        let file = Self.file(.sized, clusters: 3, distance: 200, start: 5000)
        var search = Self.search(file)
        #expect(Self.find(file, 0, 4999, &search).found == nil)
        #expect(Self.find(file, 2, 6000, &search).found == nil)
        let empty = Self.file(.sized, clusters: 0, distance: 200)
        search = Self.search(empty)
        #expect(Self.find(empty, 0, 6000, &search).found == nil)
    }

    @Test("the search ends even if all clusters have the same timestamp", arguments: Form.allCases)
    func stopped(form: Form) {
        for hasKeyframes in [false, true] {
            let file = Self.file(form, clusters: 20, distance: 160, start: 40, step: 0, hasKeyframes: hasKeyframes)
            var search = Self.search(file)
            #expect(Self.find(file, 0, 50, &search).found?.time == (hasKeyframes ? 40 : nil))
        }
    }

    @Test("arbitrary bytes do not trap", arguments: 0..<60)
    func garbage(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var file = Self.file(Form.allCases[seed % 3], clusters: 6, distance: 400)
        for _ in 0..<8 {
            let place = Int.random(in: 0..<file.bytes.count, using: &generator)
            // Changes mostly headers, because the payload is not read.
            let near = file.bytes[place...].firstIndex { $0 != 0x1F } ?? place
            file.bytes[near] = .random(in: 0...255, using: &generator)
        }
        var search = Self.search(file)
        if let found = Self.find(file, 0, 900, &search).found { #expect(found.cluster < file.bytes.count) }
    }
}
