// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The device that a name refers to.
enum AudioDevice: Equatable {
    /// The sound server's default device if a server responds, otherwise alsa-lib's.
    case usual
    /// A sink of the sound server.
    case server(String)
    /// A device of alsa-lib's configuration.
    case alsa(String)

    private static let prefix = "alsa:"
    /// Definitions in alsa-lib's configuration whose arguments name a file to write, a program to start, or a socket.
    private static let barred: Set<Substring> = ["file", "tee", "shm"]

    /// - Throws: `invalidArgument` for an ALSA name that is not a plain device name. alsa-lib accepts arguments within
    ///   a name, such as a file or a program; clients may not choose those.
    init(_ name: String) throws(EngineError) {
        guard name.hasPrefix(Self.prefix) else {
            self = name.isEmpty ? .usual : .server(name)
            return
        }
        let device = name.dropFirst(Self.prefix.count)
        let isPlain = device.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-.:,=".utf8.contains(byte)
            }
        }
        let words = device.split { ":,=".contains($0) }
        guard isPlain, !words.contains(where: { Self.barred.contains($0) }) else {
            throw .invalid("name", "\(name) is not a plain ALSA device name such as alsa:hw:CARD=PCH,DEV=0")
        }
        self = .alsa(device.isEmpty ? "default" : String(device))
    }
}
