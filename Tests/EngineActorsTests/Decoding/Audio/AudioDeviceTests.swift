// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("The name of an audio device", .timeLimit(.minutes(10)))
struct AudioDeviceTests {
    @Test(
        "determines how the device is opened",
        arguments: [
            ("", [DeviceBackend.server(""), .alsa("default")]),
            ("alsa_output.pci-0000_00_1f.3.analog-stereo", [.server("alsa_output.pci-0000_00_1f.3.analog-stereo")]),
            ("alsa:", [.alsa("default")]),
            ("alsa:default", [.alsa("default")]),
            ("alsa:hw:0,3", [.alsa("hw:0,3")]),
            ("alsa:plughw:CARD=PCH,DEV=0", [.alsa("plughw:CARD=PCH,DEV=0")]),
            ("alsa:surround51:CARD=file-server,DEV=0", [.alsa("surround51:CARD=file-server,DEV=0")]),
        ]
    )
    func backends(name: String, backends: [DeviceBackend]) throws {
        #expect(try AudioDevice(name).backends == backends)
    }

    @Test(
        "is rejected if it is an ALSA definition that writes files or starts programs",
        arguments: [
            "alsa:file:'|id',raw", "alsa:file:x", "alsa:tee:hw,x,raw", "alsa:plug:SLAVE=tee:x", "alsa:plug:file:x",
            "alsa:{ type null }", "alsa:plug:'file:x'", "alsa:shm:a,b", "alsa:hw:0\n", "alsa:hw:é",
        ]
    )
    func refused(name: String) {
        #expect {
            _ = try AudioDevice(name)
        } throws: {
            ($0 as? EngineError)?.code == .invalidArgument
        }
    }
}
