// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Transfers

@Suite("Common Media Client Data")
struct CMCDReportTests {
    private func report(
        _ options: CMCDOptions = CMCDOptions(),
        of object: RequestedObject = RequestedObject(.media, isListed: false),
        throughput: Double? = nil,
        hasStarved: Bool = false,
        _ change: (inout PlaybackReport) -> Void = { _ in }
    ) -> CMCDReport {
        var playback = PlaybackReport()
        change(&playback)
        return CMCDReport(
            options,
            sessionID: "own",
            playback,
            of: object,
            hasStarved: hasStarved,
            throughput: throughput,
            number: 7
        )
    }

    private func fields(_ report: CMCDReport) -> [String: String] {
        Dictionary(uniqueKeysWithValues: report.fields.map { ($0.name, $0.value) })
    }

    @Test("the first request reports that playback starts, and identifies the session")
    func first() {
        #expect(
            fields(report()) == [
                "CMCD-Object": "ot=av", "CMCD-Request": "su", "CMCD-Session": "sf=o,sid=\"own\",st=v",
            ]
        )
    }

    @Test(
        "a resource of a presentation is reported with its kind and duration; only media has a bit rate and a buffer",
        arguments: [
            (.playlist, nil, "ot=m", "dl=2000"), (.initSegment, nil, "ot=i", "dl=2000"), (.key, nil, "ot=k", "dl=2000"),
            (.text, .seconds(6), "d=6000,ot=c", "dl=2000"),
            (.audio, .seconds(2.005), "br=8000,d=2005,ot=a", "bl=2000,dl=2000"),
            (.video, nil, "br=8000,ot=v", "bl=2000,dl=2000"), (.media, nil, "br=8000,ot=av", "bl=2000,dl=2000"),
        ] as [(RequestedObject.Kind, MediaTime?, String, String)]
    )
    func objects(kind: RequestedObject.Kind, duration: MediaTime?, object: String, request: String) {
        let found = fields(
            report(of: RequestedObject(kind, lasting: duration)) {
                ($0.state, $0.buffered, $0.bitrate) = (.playing, .seconds(2), 8_000_000)
            }
        )
        #expect(found["CMCD-Object"] == object && found["CMCD-Request"] == request)
        #expect(found["CMCD-Session"]?.hasPrefix("sf=h,") == true)
    }

    @Test("a source that is being opened is a playlist if it is named like one")
    func sources() {
        #expect(RequestedObject(ofSource: "/a/film.M3U8") == RequestedObject(.playlist))
        #expect(RequestedObject(ofSource: "/a/film.mkv") == RequestedObject(.media, isListed: false))
    }

    @Test("the buffer, the deadline and the throughput are rounded to hundreds; the bit rate is not")
    func measures() {
        let playing = report(throughput: 25_444_000) {
            ($0.state, $0.rate, $0.buffered, $0.bitrate) = (.playing, 2, .milliseconds(4049), 8_123_456)
        }
        #expect(
            fields(playing) == [
                "CMCD-Object": "br=8123,ot=av",
                "CMCD-Request": "bl=4000,dl=2000,mtp=25400",
                "CMCD-Session": "pr=2.0,sf=o,sid=\"own\",st=v",
            ]
        )
    }

    @Test(
        "a rate is a decimal of a structured field, and a deadline is bounded",
        arguments: [
            (1.234_567_89, "pr=1.235,", "dl=3200"), (0.001, "pr=0.001,", "dl=4000000"),
            (1e-5, "pr=0.0,", "dl=400000000"), (1e-300, "pr=0.0,", "dl=100000000000000"),
            (1e300, "pr=999999.0,", "dl=0"),
        ]
    )
    func extremeRates(rate: Double, text: String, deadline: String) {
        let playing = fields(report { ($0.state, $0.rate, $0.buffered) = (.playing, rate, .milliseconds(4049)) })
        #expect(playing["CMCD-Session"]?.hasPrefix(text) == true)
        #expect(playing["CMCD-Request"]?.hasSuffix(deadline) == true)
    }

    @Test("paused playback has no deadline, and starved playback is reported")
    func starved() {
        let paused = fields(report { ($0.state, $0.rate, $0.buffered) = (.paused, 0, .zero) })
        #expect(paused["CMCD-Request"] == "bl=0")
        let starved = fields(report(hasStarved: true) { ($0.state, $0.isLive) = (.rebuffering, true) })
        #expect(starved["CMCD-Status"] == "bs")
        #expect(starved["CMCD-Request"] == "su")
        #expect(starved["CMCD-Session"]?.hasSuffix("st=l") == true)
    }

    @Test("identifiers of the options are quoted")
    func identifiers() {
        var options = CMCDOptions()
        (options.sessionID, options.contentID) = ("a\"b", "c\\d")
        #expect(fields(report(options))["CMCD-Session"] == #"cid="c\\d",sf=o,sid="a\"b",st=v"#)
    }

    @Test("version 2 has its number, the state, the number of the request, and lists of measures")
    func second() {
        var options = CMCDOptions()
        options.version = .two
        let playing = report(options, throughput: 1_000_000) {
            ($0.state, $0.buffered) = (.playing, .seconds(2))
        }
        #expect(
            fields(playing) == [
                "CMCD-Object": "ot=av", "CMCD-Request": "bl=(2000),dl=2000,mtp=(1000),sn=7,sta=p",
                "CMCD-Session": "sf=o,sid=\"own\",st=v,v=2",
            ]
        )
    }

    @Test("as a query argument, everything is one list, percent-encoded")
    func query() {
        let text = "bl%3D1000%2Cdl%3D1000%2Cot%3Dav%2Csf%3Do%2Csid%3D%22own%22%2Cst%3Dv%2Csu"
        #expect(report { $0.buffered = .seconds(1) }.query == text)
    }

    @Test("identifiers must be short ASCII text", arguments: ["", String(repeating: "x", count: 65), "a\nb", "ä"])
    func limits(identifier: String) {
        var options = CMCDOptions()
        options.contentID = identifier
        #expect(throws: EngineError.self) { try options.checked() }
    }
}
