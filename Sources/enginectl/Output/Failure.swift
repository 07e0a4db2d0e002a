// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

/// A failure of the program, with its exit code. The codes are documented in `docs/enginectl.md` and never change.
struct Failure: Error, Equatable {
    enum Status: Int32 {
        /// The reader of stdout has closed the pipe, as in `enginectl watch | head`.
        case readerGone = 0
        case failed = 1
        case problemsFound = 2
        case noEngine = 69
        case interrupted = 130
    }

    let status: Status
    /// Empty if everything was already printed.
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: EngineClientError, naming arguments: ArgumentNames = [:]) {
        // Commands set no deadline. This status comes from the wait for the engine's first answer.
        guard !error.isConnectionLoss, error.status != .deadlineExceeded else {
            self.init(.noEngine, error.message)
            return
        }
        let cause = error.cause.isEmpty ? "" : "\n  \(error.cause)"
        let word = error.code.map { " [\($0.rawValue)]" } ?? ""
        self.init(.failed, arguments.message(of: error) + word + cause)
    }
}

/// Runs a command and converts its errors to a message on stderr and an exit code.
///
/// - Parameter arguments: names of arguments that only this command uses.
func reporting(naming arguments: ArgumentNames = [:], _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as EngineClientError {
        throw end(Failure(error, naming: arguments))
    } catch let failure as Failure {
        throw end(failure)
    } catch let error as EngineError {
        throw end(Failure(.failed, "\(error.message) [\(error.code.rawValue)]"))
    } catch is CancellationError {
        throw ExitCode(Failure.Status.interrupted.rawValue)
    }
}

private func end(_ failure: Failure) -> ExitCode {
    if !failure.message.isEmpty { Terminal.writeError("enginectl: \(failure.message)") }
    return ExitCode(failure.status.rawValue)
}
