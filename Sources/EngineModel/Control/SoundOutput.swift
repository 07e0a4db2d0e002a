// SPDX-License-Identifier: Apache-2.0

/// Where the engine itself lets a session be heard.
public enum SoundOutput: Hashable, Sendable {
    package static let nameLimit = 4096

    /// A device: a sink of the sound server, or `alsa:` and a device of ALSA. An empty name stands for the default one: the
    /// server's where one answers, else ALSA's.
    case device(String)
    /// Nowhere, at the pace of a device.
    case null
    /// A WAVE file, by its absolute path, which is made or emptied.
    case file(String)
}
