// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("How much of a source is read to identify its streams")
struct StreamSearchTests {
    @Test("if a disc states the streams of its title, they are searched for in attempts that read more and more")
    func limits() {
        #expect(StreamSearch.limits(nil, .bluRay).map(\.seconds) == [1, 2, 10])
        #expect(StreamSearch.limits(nil, .dvd).map(\.seconds) == [0.5, 1, 2, 10])
        #expect(StreamSearch.limits(nil, nil) == [.seconds(10)])
        #expect(StreamSearch.limits(.seconds(2), nil) == [.seconds(2)])
    }

    @Test("audio is known once its sample rate is")
    func known() {
        let codecs = ["mpeg2video", "ac3", "ac3", "subrip"].map { CodecID(rawValue: $0) }
        let infos = codecs.enumerated().map { StreamInfo.fixture($0, $1) }
        var streams = infos.map { StreamDescription.fixture($0.index, $0.codec) }
        streams[2].audio?.sampleRate = 0
        #expect(StreamSearch.knownStreams(infos, streams) == [0, 1, 3])
    }
}
