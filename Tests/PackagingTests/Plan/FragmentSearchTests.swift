// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Fragments of a movie by their times", .timeLimit(.minutes(10)))
struct FragmentSearchTests {
    private typealias Run = FragmentedMovieBytes.Run
    private typealias Sample = FragmentedMovieBytes.Sample

    /// How the samples lie in fragments.
    enum Form: CaseIterable, Sendable {
        /// Video and audio in each fragment, with a list at the end or without.
        case listed, unlisted
        /// Video in one fragment, audio in the next.
        case separate
        /// Only every fourth fragment begins with a keyframe.
        case sparse
    }

    /// 80 seconds: one second of video and audio after the other.
    private static func film(_ form: Form, byteCount: Int = 2000) -> FragmentedMovieBytes {
        // The payload contains the type of the boxes that are searched for.
        let payload = Array(repeating: Array("moof".utf8), count: byteCount / 4).flatMap(\.self)
        let fragments = (0..<80).flatMap { number -> [[Run]] in
            let time = Int64(number) * 1000
            let isKey = form != .sparse || number % 4 == 0
            let video = (0..<5).map { Sample(payload, lasting: 200, isKey: isKey && $0 == 0) }
            let audio = (0..<10).map { _ in Sample([1, 2, 3], lasting: 100) }
            let runs = [Run(track: 1, at: time, video), Run(track: 2, at: time, audio)]
            return form == .separate ? runs.map { [$0] } : [runs]
        }
        return FragmentedMovieBytes(fragments, hasList: form == .listed)
    }

    private static func search(_ film: FragmentedMovieBytes) throws -> FragmentSearch {
        let movie = try #require(FragmentedMovie(movie: film.movie))
        return FragmentSearch(of: movie, from: film.start, byteCount: Int64(film.bytes.count))
    }

    private static func bytes(_ film: FragmentedMovieBytes, _ offset: Int64, _ count: Int) -> [UInt8] {
        Array(film.bytes.dropFirst(Int(offset)).prefix(count))
    }

    @Test("the fragment of the last sync sample at or before any time is found", arguments: Form.allCases)
    func found(form: Form) throws {
        let film = Self.film(form)
        var search = try Self.search(film)
        for time in stride(from: Int64(0), through: 90_000, by: 730) {
            let number = Int(min(time / 1000, 79))
            let wanted = form == .separate ? 2 * number : form == .sparse ? number / 4 * 4 : number
            let video = search.fragment(of: 1, atOrBefore: time) { Self.bytes(film, $0, $1) }
            #expect(video == film.positions[wanted], "video at \(time)")
            let audio = search.fragment(of: 2, atOrBefore: time) { Self.bytes(film, $0, $1) }
            #expect(audio == film.positions[form == .separate ? 2 * number + 1 : number], "audio at \(time)")
        }
        #expect(search.fragment(of: 1, atOrBefore: -1) { Self.bytes(film, $0, $1) } == nil)
        #expect(search.fragment(of: 3, atOrBefore: 0) { Self.bytes(film, $0, $1) } == nil)
    }

    @Test("only bytes around the wanted time are read", arguments: [(true, 12 << 10), (false, 1 << 20)])
    func fewBytes(isListed: Bool, most: Int) throws {
        let film = Self.film(isListed ? .listed : .unlisted, byteCount: 20_000)
        var search = try Self.search(film)
        var byteCount = 0
        let found = search.fragment(of: 1, atOrBefore: 50_500) { offset, count in
            byteCount += count
            return Self.bytes(film, offset, count)
        }
        #expect(found == film.positions[50])
        #expect(byteCount < most, "\(byteCount) of \(film.bytes.count) bytes")
    }

    /// A list with the same position in every entry.
    struct FalseList: Sendable {
        let fragment: Int
        /// The position within the fragment.
        var offset: Int64 = 0
        let readLimit: Int
    }

    @Test(
        "A list with wrong positions does not lead to a wrong fragment",
        arguments: [
            // Too late; too early, so that each fragment after it is read; inside samples.
            FalseList(fragment: 79, readLimit: 150), FalseList(fragment: 3, readLimit: 400),
            FalseList(fragment: 40, offset: 1000, readLimit: 150),
        ]
    )
    func lyingList(_ lie: FalseList) throws {
        let film = Self.film(.listed, byteCount: 20_000)
        var bytes = film.bytes
        let position = film.positions[lie.fragment] + lie.offset
        let span = film.bytes.span
        let found = span.box("mfra", in: 0..<span.count).flatMap { span.box("tfra", in: $0) }?.lowerBound
        let list = try #require(found)
        for entry in 0..<80 {
            let at = list + 16 + entry * 19 + 8
            bytes.replaceSubrange(at..<at + 8, with: FragmentedMovieBytes.long(position))
        }
        var search = try Self.search(film)
        var reads = 0
        let place = search.fragment(of: 1, atOrBefore: 70_100) { offset, count in
            reads += 1
            return Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
        #expect(place == film.positions[70])
        #expect(reads < lie.readLimit)
    }

    /// How the times of fragments follow one another.
    enum Times: CaseIterable, Sendable { case rising, equal, random, enormous }

    enum Damage: CaseIterable { case none, missingList, list, fragments }

    /// Fragments with video, audio or both.
    ///
    /// - Parameter share: how many pictures are sync samples, in percent.
    private static func fragments(_ times: Times, syncShare share: Int, _ random: inout SplitMix) -> [[Run]] {
        let payload = [UInt8](repeating: 7, count: 12_000)
        var fragments: [[Run]] = []
        for number in 0..<48 {
            let time: Int64 =
                switch times {
                case .rising: Int64(number) * 1000
                case .equal: 5000
                case .random: Int64.random(in: 0..<48_000, using: &random)
                case .enormous: Int64.random(in: 0..<1 << 62, using: &random)
                }
            var pictures: [Sample] = []
            for _ in 0..<2 {
                let isKey = Int.random(in: 0..<100, using: &random) < share
                pictures.append(Sample(payload, lasting: 200, isKey: isKey))
            }
            let video = Run(track: 1, at: time, pictures)
            let audio = Run(track: 2, at: time, [Sample([1, 2, 3], lasting: 1000)])
            let choices = [[video, audio], [video, audio], [video], [audio]]
            fragments.append(choices[Int.random(in: 0..<4, using: &random)])
        }
        return fragments
    }

    /// When the first sync sample of a track in a fragment is decoded.
    private static func syncTime(_ fragment: [Run], _ track: UInt32) -> Int64? {
        guard let run = fragment.first(where: { $0.track == track }), let time = run.time,
            let index = track == 2 ? 0 : run.samples.firstIndex(where: \.isKey)
        else { return nil }
        return time + Int64(index) * 200
    }

    private static func damage(_ film: FragmentedMovieBytes, _ damage: Damage, _ random: inout SplitMix) -> [UInt8] {
        var bytes = film.bytes
        switch damage {
        case .none, .missingList: break
        case .list:
            // The length of the list, in its last box, stays valid.
            let start = bytes.count - Int(bytes.span.bigEndian32(at: bytes.count - 4))
            for _ in 0..<60 {
                let place = Int.random(in: start..<bytes.count - 16, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
        case .fragments:
            for _ in 0..<60 {
                let position = film.positions[Int.random(in: 0..<film.positions.count, using: &random)]
                let place = Int(position) + Int.random(in: 0..<100, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return bytes
    }

    @Test(
        "A search ends and finds no wrong fragment, however damaged the file is",
        arguments: Times.allCases,
        [0, 10, 100]
    )
    func damaged(times: Times, syncShare: Int) throws {
        struct TooManyReads: Error {}
        let wishes: [(UInt32, Int64)] = [(1, 0), (1, 5000), (1, 23_456), (1, 1 << 61), (2, 23_456), (2, 1 << 61)]
        var random = SplitMix(state: UInt64(syncShare))
        for damage in Damage.allCases {
            let fragments = Self.fragments(times, syncShare: syncShare, &random)
            let film = FragmentedMovieBytes(fragments, hasList: damage != .missingList)
            let bytes = Self.damage(film, damage, &random)
            var search = try Self.search(film)
            var reads = 0
            func read(_ offset: Int64, _ count: Int) throws(TooManyReads) -> [UInt8] {
                reads += 1
                guard reads <= 200_000 else { throw TooManyReads() }
                return Array(bytes.dropFirst(Int(offset)).prefix(count))
            }
            for (track, wanted) in wishes {
                reads = 0
                let found = try search.fragment(of: track, atOrBefore: wanted, read: read)
                guard damage != .fragments else {
                    #expect(found.map { (film.start..<Int64(bytes.count)).contains($0) } ?? true)
                    continue
                }
                let possible = fragments.indices.filter { Self.syncTime(fragments[$0], track) ?? .max <= wanted }
                    .map { film.positions[$0] }
                switch times {
                case .rising, .equal: #expect(found == possible.last, "track \(track) at \(wanted), \(damage)")
                case .random, .enormous:
                    #expect(found.map(possible.contains) ?? true, "track \(track) at \(wanted), \(damage)")
                }
            }
            reads = 0
            _ = try search.ends(read: read)
        }
    }

    @Test("A fragment that boxes hide from a walk does not lead to a position outside the file")
    func hiddenFragment() throws {
        func run(_ track: UInt32, at time: Int64, byteCount: Int = 4) -> [Run] {
            [Run(track: track, at: time, [Sample([UInt8](repeating: 7, count: byteCount), lasting: 1)])]
        }
        let wanted: Int64 = 1 << 61
        let start = (0..<7).map { _ in run(1, at: 0) }
        let film = FragmentedMovieBytes(
            start + [
                run(1, at: 0, byteCount: 1_200_000), run(2, at: 0, byteCount: 1_200_000),
                run(1, at: wanted + 1, byteCount: 1_000_000), run(1, at: 1, byteCount: 600_000),
            ]
        )
        // The samples of audio cover the fragment after them.
        var bytes = film.bytes
        let audio = Int(film.positions[8])
        let samples = audio + Int(bytes.span.bigEndian32(at: audio))
        let size = FragmentedMovieBytes.word(UInt32(Int(film.positions[10]) - samples))
        bytes.replaceSubrange(samples..<samples + 4, with: size)
        var search = try Self.search(film)
        let found = search.fragment(of: 1, atOrBefore: wanted) { Array(bytes.dropFirst(Int($0)).prefix($1)) }
        #expect(found == film.positions[10])
    }

    @Test("a copy of a fragment's header in the samples of others is not taken for the fragment")
    func copiedHeader() throws {
        func film(_ payload: [UInt8]) -> FragmentedMovieBytes {
            FragmentedMovieBytes((0..<80).map { [Run(track: 1, at: $0 * 1000, [Sample(payload, lasting: 1000)])] })
        }
        let plain = film([UInt8](repeating: 7, count: 8))
        let last = Int(try #require(plain.positions.last))
        let header = plain.bytes[last..<plain.bytes.count - 16]
        let film = film((0..<400).flatMap { _ in header } + [UInt8](repeating: 7, count: 8))
        var search = try Self.search(film)
        for number in [70, 3, 41] {
            let found = search.fragment(of: 1, atOrBefore: Int64(number) * 1000 + 500) { Self.bytes(film, $0, $1) }
            #expect(found == film.positions[number])
        }
    }

    @Test("the ends of the tracks are found at the end of the file", arguments: Form.allCases)
    func ends(form: Form) throws {
        let film = Self.film(form)
        var search = try Self.search(film)
        #expect(search.ends { Self.bytes(film, $0, $1) } == [1: 80_000, 2: 80_000])
    }

    @Test("the ends are unknown if the last fragments do not state their times", arguments: [true, false])
    func unknownEnds(hasList: Bool) throws {
        let film = FragmentedMovieBytes(
            (0..<20).map { number in
                let time = number < 10 ? Int64(number) * 1000 : nil
                return [1, 2].map { Run(track: $0, at: time, [Sample([1, 2, 3], lasting: 1000)]) }
            },
            hasList: hasList
        )
        var search = try Self.search(film)
        #expect(search.ends { Self.bytes(film, $0, $1) } == [:])
        let found = search.fragment(of: 1, atOrBefore: 5000) { Self.bytes(film, $0, $1) }
        #expect(found == film.positions[5])
    }

    @Test("a failed read is thrown")
    func failure() throws {
        struct Broken: Error {}
        let film = Self.film(.unlisted)
        var search = try Self.search(film)
        #expect(throws: Broken.self) {
            try search.fragment(of: 1, atOrBefore: 40_000) { (offset, count) throws(Broken) in
                guard offset < 100_000 else { throw Broken() }
                return Self.bytes(film, offset, count)
            }
        }
    }
}
