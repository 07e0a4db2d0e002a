// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel

extension DBusError {
    /// Maps the engine's error for a command to a D-Bus error.
    init(_ error: EngineClientError) {
        switch error.code {
        case .sourceNotFound: self.init(.fileNotFound, "\(error)")
        case .invalidArgument: self.init(.invalidArguments, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    static let noEngine = DBusError(.failed, "no engine is running")
}
