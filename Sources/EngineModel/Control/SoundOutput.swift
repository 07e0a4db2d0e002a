// SPDX-License-Identifier: Apache-2.0

/// Where the engine itself lets a session be heard.
public enum SoundOutput: Hashable, Sendable {
    package static let nameLimit = 4096

    /// A device of the sound server; an empty name stands for its default one.
    case device(String)
    /// Nowhere, at the pace of a device.
    case null
    /// A WAVE file, by its absolute path, which is made or emptied.
    case file(String)
}
