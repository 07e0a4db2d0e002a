// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Reading the header of a fragment")
struct MovieFragmentTests {
    private static let film = FragmentedMovieBytes([
        [
            .init(
                track: 1,
                at: 5000,
                [.init([1], lasting: 40, isKey: false), .init([2], lasting: 60), .init([3], lasting: 50, isKey: false)]
            ),
            .init(track: 2, at: nil, [.init([4, 5], lasting: 7)]),
        ]
    ])

    private static func fragment(_ film: FragmentedMovieBytes) -> [UInt8] {
        let start = Int(film.positions[0])
        return Array(film.bytes[start..<start + Int(film.bytes.span.bigEndian32(at: start))])
    }

    @Test("start, length and first sync sample of each track")
    func runs() throws {
        let movie = try #require(FragmentedMovie(movie: Self.film.movie))
        let fragment = try #require(MovieFragment(Self.fragment(Self.film), of: movie))
        #expect(fragment.runs[1]?.start == 5000 && fragment.runs[1]?.duration == 150)
        #expect(fragment.runs[1]?.firstSyncOffset == 40)
        #expect(fragment.runs[2]?.start == nil && fragment.runs[2]?.duration == 7)
        #expect(!fragment.isPlaced && !fragment.hasSignedOffsets)
        #expect(fragment.start(ofTrack: 1) == 5000)
    }

    @Test("offsets that may be negative are reported")
    func signed() throws {
        let run = FragmentedMovieBytes.Run(track: 1, at: 0, [.init([1], lasting: 1)])
        let film = FragmentedMovieBytes([[run]], isSigned: true)
        let movie = try #require(FragmentedMovie(movie: film.movie))
        let fragment = try #require(MovieFragment(Self.fragment(film), of: movie))
        #expect(fragment.hasSignedOffsets && fragment.isPlaced)
    }

    @Test("Samples without fields of their own use the defaults of the track")
    func defaults() throws {
        typealias Bytes = FragmentedMovieBytes
        let movie = try #require(FragmentedMovie(movie: Self.film.movie))
        func fragment(count: UInt32, lasting duration: UInt32) -> MovieFragment? {
            let tfhd = Bytes.box("tfhd", [0x02_0028, 1, duration, 0].flatMap { Bytes.word($0) })
            // The first sample is not a sync sample, the others are.
            let trun = Bytes.box("trun", [4, count, 0x0101_0000].flatMap { Bytes.word($0) })
            let traf = Bytes.box("traf", tfhd + trun)
            return MovieFragment(Bytes.box("moof", Bytes.box("mfhd", [0, 0, 0, 0, 0, 0, 0, 1]) + traf), of: movie)
        }
        let found = try #require(fragment(count: 50, lasting: 20)?.runs[1])
        #expect(found.duration == 1000 && found.firstSyncOffset == 20 && found.start == nil)
        #expect(fragment(count: 1, lasting: 20)?.runs[1]?.firstSyncOffset == nil)
        #expect(fragment(count: .max, lasting: .max) == nil)
    }

    @Test("The defaults follow the fields before them; a sample that depends on others is no sync sample")
    func fields() throws {
        typealias Bytes = FragmentedMovieBytes
        let movie = try #require(FragmentedMovie(movie: Self.film.movie))
        // Base data offset, description index, duration, size and flags: the first sample depends on others.
        let tfhd = Bytes.box("tfhd", [0x3B, 1, 7, 7, 7, 20, 7, 0].flatMap { Bytes.word($0) })
        let trun = Bytes.box("trun", [4, 3, 0x0100_0000].flatMap { Bytes.word($0) })
        let header = Bytes.box("mfhd", [0, 0, 0, 0, 0, 0, 0, 1])
        let found = MovieFragment(Bytes.box("moof", header + Bytes.box("traf", tfhd + trun)), of: movie)
        #expect(found?.runs[1]?.duration == 60 && found?.runs[1]?.firstSyncOffset == 20)
    }

    @Test("a truncated or damaged fragment is refused, or read without a trap")
    func damaged() throws {
        let movie = try #require(FragmentedMovie(movie: Self.film.movie))
        let whole = Self.fragment(Self.film)
        for count in whole.indices { #expect(MovieFragment(Array(whole[..<count]), of: movie) == nil) }
        for place in whole.indices {
            var bytes = whole
            bytes[place] = 0xFF
            _ = MovieFragment(bytes, of: movie)
        }
    }
}
