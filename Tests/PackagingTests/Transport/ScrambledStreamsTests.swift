// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Scrambled transport streams")
struct ScrambledStreamsTests {
    private func found(
        _ seconds: [Set<Int>],
        within limits: ScrambledStreams.Limits = .live,
        piece: Int = 1000
    ) -> (search: ScrambledStreams, byteCount: Int) {
        var channel = StoredChannel()
        for scrambled in seconds { channel.addSecond(of: 0x1B, scrambled: scrambled) }
        var search = ScrambledStreams([0x100, 0x101], within: limits)
        var place = 0
        while place < channel.bytes.count, !search.isDecided {
            search.add(Array(channel.bytes[place..<min(channel.bytes.count, place + piece)]))
            place += piece
        }
        return (search, place)
    }

    @Test("A stream in the clear is decided by the first units", arguments: [188, 1000, 4097])
    func clear(piece: Int) {
        let (search, byteCount) = found([[]], piece: piece)
        #expect(search.isDecided && search.found.isEmpty && byteCount < 10_000)
    }

    @Test("A live stream is scrambled if it was for five seconds of its clock, and not if it is decrypted before")
    func live() {
        let all: Set<Int> = [0x100, 0x101]
        let (search, byteCount) = found(Array(repeating: all, count: 8))
        #expect(search.isDecided && search.found == all)
        let second = StoredChannel.bytes([0x1B]).count + 188
        #expect(byteCount >= second * 5 && byteCount < second * 6)
        let later = found([all, all, [], all]).search
        #expect(later.isDecided && later.found.isEmpty)
    }

    @Test("The streams of a program are told apart", arguments: [0x100, 0x101])
    func single(stream: Int) {
        let search = found(Array(repeating: [stream], count: 8)).search
        #expect(search.isDecided && search.found == [stream])
    }

    @Test("A file may begin with more that is scrambled, and its length decides")
    func stored() {
        let all: Set<Int> = [0x100, 0x101]
        let search = found(Array(repeating: all, count: 8) + [[]], within: .stored).search
        #expect(search.isDecided && search.found.isEmpty)
        let whole = found(Array(repeating: all, count: 8), within: .stored).search
        #expect(!whole.isDecided && whole.found == all)
    }

    @Test("Packets that claim to be scrambled, but have a unit in the clear, are in the clear")
    func claims() {
        var bytes = StoredChannel.bytes([0x1B])
        for place in stride(from: 0, to: bytes.count, by: 188) { bytes[place + 3] |= 0xC0 }
        var search = ScrambledStreams([0x100, 0x101], within: .live)
        search.add(bytes)
        #expect(search.isDecided && search.found.isEmpty)
    }
}
