// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Reading the header of a movie in fragments")
struct FragmentedMovieTests {
    private static let movie = FragmentedMovieBytes([]).movie

    @Test("tracks, their clocks and their kinds")
    func tracks() throws {
        let movie = try #require(FragmentedMovie(movie: Self.movie))
        #expect(movie.tracks.mapValues(\.timescale) == [1: 1000, 2: 1000])
        #expect(movie.tracks[1]?.kind == .video && movie.tracks[2]?.kind == .audio)
    }

    @Test("a movie with samples of its own, or without fragments, is refused")
    func refused() {
        #expect(FragmentedMovie(movie: FragmentedMovieBytes([], movieSamples: 3).movie) == nil)
        #expect(FragmentedMovie(movie: FragmentedMovieBytes.box("moov", [])) == nil)
        #expect(FragmentedMovie(movie: []) == nil)
    }

    @Test("a movie with `mvex` continues in fragments, however complete its tables look")
    func announced() {
        typealias Bytes = FragmentedMovieBytes
        let header = Bytes.box("mvhd", [UInt8](repeating: 0, count: 100))
        let extends = Bytes.box("mvex", Bytes.box("trex", Bytes.word(0)))
        #expect(FragmentedMovie.isAnnounced(in: Bytes.box("moov", header + extends)))
        #expect(!FragmentedMovie.isAnnounced(in: Bytes.box("moov", header)))
        #expect(!FragmentedMovie.isAnnounced(in: Bytes.box("free", Bytes.box("mvex", []))))
    }

    @Test("a damaged movie is read without a trap")
    func damaged() {
        for place in Self.movie.indices {
            var bytes = Self.movie
            bytes[place] = 0xFF
            _ = FragmentedMovie(movie: bytes)
        }
    }
}
