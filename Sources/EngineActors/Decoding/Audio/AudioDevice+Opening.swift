// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// The reason why one backend could not open a device.
struct DeviceFailure: Error, CustomStringConvertible {
    let description: String
}

/// The library that opens a device, with the device's name there.
enum DeviceBackend: Equatable {
    /// A sink of the sound server; an empty name selects its default sink.
    case server(String)
    case alsa(String)
}

extension AudioDevice {
    /// The backends to try, in this order.
    var backends: [DeviceBackend] {
        switch self {
        case .usual: [.server(""), .alsa("default")]
        case .server(let name): [.server(name)]
        case .alsa(let name): [.alsa(name)]
        }
    }
}

extension DeviceBackend {
    /// - Parameters:
    ///   - server: the address of the sound server; `nil`: the one that libpulse finds.
    ///   - onChange: called on any thread when the stream has room for samples, when a flush is done, and when the
    ///     stream has ended.
    func open(
        of server: String?,
        onChange: @escaping @Sendable () -> Void
    ) async throws(DeviceFailure) -> any DeviceStream {
        switch self {
        case .server(let name):
            do throws(PulseError) {
                return try await ServerOpener().connect(to: name, of: server, onChange: onChange)
            } catch {
                throw DeviceFailure(description: "PulseAudio: \(error)")
            }
        case .alsa(let name):
            do throws(AlsaError) { return try await AlsaStream.open(name, onChange: onChange) } catch {
                throw DeviceFailure(description: "ALSA device \(name): \(error)")
            }
        }
    }
}

/// Connects on its own thread, because a sound server may respond slowly.
private actor ServerOpener {
    private let executor = ThreadExecutor(name: "sound-open")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func connect(
        to device: String,
        of server: String?,
        onChange: @escaping @Sendable () -> Void
    ) throws(PulseError) -> PulseStream {
        try PulseStream.connect(to: device, of: server, named: "engined", onChange: onChange)
    }
}
