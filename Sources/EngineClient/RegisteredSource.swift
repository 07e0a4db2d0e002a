// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Glibc
internal import Wire

/// A source that this process provides: the engine's requests arrive on a socket (docs/sources.md). Releasing the
/// object ends the source.
///
/// Thread-safety: safe.
public final class RegisteredSource: Sendable {
    /// The URL of the source, for `load` and all other calls that take a source.
    public let url: String
    /// A Unix socket of the type `SOCK_SEQPACKET`, closed with this object.
    public let descriptor: CInt

    fileprivate init(url: String, descriptor: CInt) {
        self.url = url
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

extension EngineClient {
    /// Registers a source that this process provides.
    ///
    /// - Throws: `unavailable` when the side socket cannot be reached, `resourceExhausted` when too many sources are
    ///   registered.
    public func registerSource(timeout: Duration? = nil) async throws(EngineClientError) -> RegisteredSource {
        let answer = try await channel.unary(
            "RegisterSource",
            RegisteredSourceAnswer.framedRequest(),
            timeout: timeout,
            RegisteredSourceAnswer.init(wire:)
        )
        return RegisteredSource(url: answer.registration.url, descriptor: try await SourceClaim().claim(answer))
    }
}

/// Connects to the side socket on its own thread, because that blocks.
private actor SourceClaim {
    private let executor = ThreadExecutor(name: "source")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func claim(_ answer: RegisteredSourceAnswer) throws(EngineClientError) -> CInt {
        let connection: HandoverSocket
        do throws(SystemError) {
            let path = FilePath.isFileURL(answer.socketPath) ? FilePath(fileURL: answer.socketPath) : nil
            connection = try HandoverSocket(path ?? FilePath(answer.socketPath), showing: answer.registration.ticket)
        } catch {
            throw EngineClientError(.unavailable, "cannot connect to \(answer.socketPath)", cause: "\(error)")
        }
        guard let (message, descriptors) = connection.receive() else { throw .connectionLost }
        guard message.kind == .source, descriptors.count == 1 else {
            for descriptor in descriptors { close(descriptor) }
            throw EngineClientError(.resourceExhausted, "the engine does not take another source")
        }
        return descriptors[0]
    }
}
