// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Channel lists")
struct ChannelListTests {
    private func list(_ text: String) -> ChannelList? { ChannelList(Array(text.utf8)) }

    @Test("names, groups, numbers and URLs are read in every common form")
    func channels() {
        let found = list(
            "\u{FEFF}#EXTM3U url-tvg=\"http://guide\"\r\n\r\n"
                + "#EXTINF:-1 tvg-id=\"one.de\" tvg-chno=\"1\" tvg-logo=\"http://l/1,a.png\" group-title=\"News, Talk\", Das Erste \r\n"
                + "#EXTVLCOPT:network-caching=1000\r\nhttp://tuner:5004/auto/v5.1\r\n"
                + "#EXTINF:0,Two, and more\n#EXTGRP:Films\nrtp://@239.1.2.3:5000\n"
                + "#EXTINF:-1 tvg-name=Three tvg-id=3\nthree.ts\n"
                + "udp://@239.1.2.4:5000"
        )
        var one = ChannelList.Channel(url: "http://tuner:5004/auto/v5.1")
        (one.name, one.group, one.identifier) = ("Das Erste", "News, Talk", "one.de")
        (one.number, one.logo) = ("1", "http://l/1,a.png")
        var two = ChannelList.Channel(url: "rtp://@239.1.2.3:5000")
        (two.name, two.group) = ("Two, and more", "Films")
        var three = ChannelList.Channel(url: "three.ts")
        (three.name, three.identifier) = ("Three", "3")
        #expect(found?.channels == [one, two, three, ChannelList.Channel(url: "udp://@239.1.2.4:5000")])
    }

    @Test(
        "an HLS playlist, an empty list and other text are not channel lists",
        arguments: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n",
            "#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "#EXTM3U\n", "#EXTM3U\n#EXTINF:-1,Nothing\n", "http://a/b\n",
            "",
            "#EXTINF:-1,a\nhttp://a\n",
        ]
    )
    func others(_ text: String) { #expect(list(text) == nil) }

    @Test("a damaged line loses only its own fields")
    func damaged() {
        let found = list(
            "#EXTM3U\n#EXTINF:-1 tvg-id=\"open,Name\nhttp://a\n#EXTINF:\nhttp://b\n#EXTINF:-1 = ==\"x\",N\nhttp://c\n"
        )
        #expect(found?.channels.map(\.url) == ["http://a", "http://b", "http://c"])
        #expect(found?.channels.map(\.name) == ["", "", "N"])
    }
}
