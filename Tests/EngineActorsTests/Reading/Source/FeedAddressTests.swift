// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Reading

@Suite("Addresses of feeds")
struct FeedAddressTests {
    @Test(
        "UDP and RTP addresses are read as other programs write them",
        arguments: [
            ("udp://239.1.2.3:5000", FeedDescriptor.Address(host: "239.1.2.3", port: 5000), false),
            ("udp://@239.1.2.3:5000", FeedDescriptor.Address(host: "239.1.2.3", port: 5000), false),
            ("UDP://@:5000", FeedDescriptor.Address(host: "", port: 5000), false),
            ("udp://127.0.0.1:5000/", FeedDescriptor.Address(host: "127.0.0.1", port: 5000), false),
            ("rtp://10.0.0.9@239.1.2.3:5000", FeedDescriptor.Address(host: "239.1.2.3", port: 5000), true),
            (
                "rtp://239.1.2.3:5000?fifo_size=9&localaddr=192.168.1.2",
                FeedDescriptor.Address(host: "239.1.2.3", port: 5000, interface: "192.168.1.2"), true
            ),
        ]
    )
    func datagrams(name: String, address: FeedDescriptor.Address, isRTP: Bool) throws {
        #expect(FeedAddress.isOne(name))
        #expect(try FeedAddress(name) == .datagrams(address, isRTP: isRTP))
    }

    @Test(
        "messages show the address without the sender and the arguments",
        arguments: [
            ("udp://239.1.2.3:5000?tok=secret", "udp://239.1.2.3:5000"), ("UDP://@:5000", "UDP://@:5000"),
            ("rtp://me:secret@239.1.2.3:5000/?a=b@c", "rtp://239.1.2.3:5000/"),
            ("udp://239.1.2.3#tok", "udp://239.1.2.3"), ("pipe:/run/a?b@c://d", "pipe:/run/a?b@c://d"),
        ]
    )
    func shown(name: String, text: String) { #expect(SourceOpener.shown(name) == text) }

    @Test("a pipe is the standard input or has an absolute path")
    func pipes() throws {
        for name in ["pipe:", "pipe:0", "pipe:-"] { #expect(try FeedAddress(name) == .pipe(path: nil)) }
        #expect(try FeedAddress("pipe:/run/live.ts") == .pipe(path: "/run/live.ts"))
    }

    @Test(
        "invalid addresses are refused",
        arguments: [
            "udp://239.1.2.3", "udp://239.1.2.3:0", "udp://239.1.2.3:70000", "udp://tuner.local:5000",
            "rtp://[::1]:5000",
            "udp://1.2.3:5000", "udp://+5.1.1.1:5000", "udp://-0.1.1.1:5000", "udp://1.2.3.4:5000?localaddr=eth0",
            "pipe:3", "pipe:live.ts",
        ]
    )
    func refused(name: String) {
        #expect(throws: EngineError.self) { try FeedAddress(name) }
    }

    @Test("the names of other sources are not addresses of feeds")
    func others() {
        for name in ["/films/udp://x", "http://tuner/udp", "file:///pipe:", "pipe", "udp:5000"] {
            #expect(!FeedAddress.isOne(name))
        }
    }
}
