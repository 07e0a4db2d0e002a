// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Logging
import Testing

@testable import engined

@Suite(.timeLimit(.minutes(10)))
struct SettingsTests {
    @Test("only a path may have bytes that are not UTF-8")
    func anyBytes() throws {
        var settings = Settings()
        let path = ByteText.text(of: Array("/run/s".utf8) + [0xE9])
        try settings.take(file: "socket = \(path)\n", named: "f")
        #expect(settings.serving.socket == "file:///run/s%E9")
        try settings.take(environment: ["ENGINED_SOCKET": "/run/s"])
        #expect(settings.serving.socket == "/run/s")
        for line in ["http-address = \(path)", "\(path) = 1", path] {
            let error = #expect(throws: SettingsError.self) { try settings.take(file: line, named: "f") }
            #expect(error.map { !ByteText.hasEscapes("\($0)") } == true)
        }
    }

    @Test("Text for servers is refused if it has control characters")
    func injections() {
        var settings = Settings()
        for (name, text) in [("USER_AGENT", "a\nX-Evil: 1"), ("USER_AGENT", "a\u{7F}"), ("PROXY", "http://h\r\nX: 1")] {
            let error = #expect(throws: SettingsError.self) {
                try settings.take(environment: ["ENGINED_HTTP_\(name)": text])
            }
            #expect(error?.origin == "ENGINED_HTTP_\(name)")
            #expect(error?.message.contains("has control characters") == true)
        }
    }

    @Test("Later sources override earlier ones")
    func order() throws {
        var settings = Settings()
        try settings.take(file: "http-port = 1\ncache-bytes=2M\n# a comment\n\n  log-level =\tdebug \r\n", named: "f")
        try settings.take(environment: ["ENGINED_HTTP_PORT": "2", "ENGINED_LOG_LEVEL": "", "ENGINED_OTHER": "x"])
        try settings.set(.httpPort, to: "3", from: "--http-port")
        #expect(settings.serving.httpPort == 3)
        #expect(settings.cache.bytes == 2 << 20)
        #expect(settings.log.level == .debug)
    }

    @Test(
        "Invalid settings are reported with their location",
        arguments: [
            ("http-port = 70000", "f:1: the port must be 0 … 65535, not \"70000\""),
            ("\nhttp-port", "f:2: \"http-port\" is not of the form key = value"),
            ("colour = red", "f:1: unknown key \"colour\"; known keys are socket, http-port, "),
            ("max-sessions = 0", "f:1: the limit of sessions must be 1 … 1000, not \"0\""),
            ("cache-bytes = 12", "f:1: the cache size must be 1M or more, not \"12\""),
            ("cache-bytes = 99999999999999999999G", "f:1: the cache size must be 1M or more"),
            ("dvr-window = 9", "f:1: the window of live streams must be 10 … 86400 seconds, not \"9\""),
            ("dvr-bytes = 15M", "f:1: the disk for live streams must be off, 0 or 16M or more, not \"15M\""),
            ("live-chase = on", "f:1: the chase of the live edge must be one of off, skip, speed, precise, not \"on\""),
            ("log-format = xml", "f:1: the log format must be one of text, json, not \"xml\""),
            ("socket =", "f:1: the socket path is empty"),
            ("network = on,off", "f:1: the network must be on, off or hosts separated by commas, not \"on,off\""),
            (
                "source-helper = http=/x",
                "f:1: helpers must be SCHEME=PATH with a scheme that the engine does not have, not \"http=/x\""
            ),
            (
                "source-helper = a=/x,b=y",
                "f:1: helpers must be SCHEME=PATH with a scheme that the engine does not have, not \"b=y\""
            ),
            ("find-subtitles = maybe", "f:1: find-subtitles must be on or off, not \"maybe\""),
            ("rate-range = 2:4", "f:1: the rates must be MIN:MAX"),
            ("rate-range = 0:inf", "f:1: the rates must be MIN:MAX"),
            ("rate-range = 2", "f:1: the rates must be MIN:MAX"),
            ("timeout-play = nan", "f:1: the time-out must be 0"),
            ("timeout-play = -1", "f:1: the time-out must be 0"),
            ("timeout-play = 1e300", "f:1: the time-out must be 0"),
        ]
    )
    func refusals(_ text: String, _ message: String) {
        var settings = Settings()
        let error = #expect(throws: SettingsError.self) { try settings.take(file: text, named: "f") }
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test("Sessions use the player settings unless a load request overrides them")
    func player() throws {
        var settings = Settings()
        try settings.take(
            file:
                "find-subtitles = off\nrate-range = 0.25:8\ntimeout-buffering = 2.5\ntimeout-seeking = 0\ntimeout-stopping = 86400",
            named: "f"
        )
        #expect(!settings.player.findsSubtitles)
        #expect(settings.player.rateRange == 0.25...8)
        #expect(settings.player.timeouts[.buffering] == .milliseconds(2500))
        #expect(settings.player.timeouts[.seeking] == nil)
        #expect(settings.player.timeouts[.opening] == .seconds(15))
        var options = LoadOptions()
        options.timeouts = [.buffering: .zero, .seeking: .seconds(1)]
        options.findsSubtitles = true
        let player = settings.player.overridden(by: options)
        #expect(player.findsSubtitles)
        #expect(player.rateRange == 0.25...8)
        #expect(player.timeouts[.buffering] == nil)
        #expect(player.timeouts[.seeking] == .seconds(1))
    }

    @Test("Both a setting and an option of a load limit how much of a live stream is kept")
    func windows() throws {
        var settings = Settings()
        #expect(settings.live.dvrBytes == 4 << 30 && settings.player.dvrWindow == .seconds(3600))
        try settings.take(file: "dvr-window = 600\ndvr-bytes = 2G", named: "f")
        #expect(settings.live.dvrBytes == 2 << 30 && settings.player.dvrWindow == .seconds(600))
        var options = LoadOptions()
        #expect(settings.player.overridden(by: options).dvrByteCount == nil)
        (options.dvrWindow, options.dvrByteCount) = (.seconds(60), 64 << 20)
        try settings.take(file: "live-chase = skip", named: "f")
        #expect(settings.player.overridden(by: options).chase == .skip)
        options.chase = .precise
        let player = settings.player.overridden(by: options)
        #expect(player.chase == .precise)
        #expect(player.dvrWindow == .seconds(60) && player.dvrByteCount == 64 << 20)
        try settings.take(file: "dvr-bytes = off", named: "f")
        #expect(settings.live.dvrBytes == 0)
    }

    @Test("Every key has an environment variable", arguments: Settings.Key.allCases)
    func variables(_ key: Settings.Key) {
        #expect(key.variable.hasPrefix("ENGINED_"))
        #expect(!key.variable.contains("-"))
    }
}
