// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// An audio output: `device`, `device:NAME`, `null` or `wav:PATH`.
struct SinkArgument: Equatable, ExpressibleByArgument {
    static let form = "The audio output: device, device:NAME (a sink, or alsa:DEVICE), null or wav:PATH."

    let output: AudioOutput

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("device", let name) where !ByteText.hasEscapes(argument): output = .device(name ?? "")
        case ("null", nil): output = .null
        case ("wav", let path?) where !path.isEmpty: output = .file(FileArgument(path).path.text)
        default: return nil
        }
    }
}
