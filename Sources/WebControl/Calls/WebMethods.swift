// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel
internal import Wire

/// Which RPCs are served over HTTP, and in which form their answers are.
enum WebMethods {
    /// Left out are calls that hand over memory or take a stream of bytes, which HTTP cannot carry; `SetSoundOutput`, which
    /// may write files; and those that make tokens, so that a token cannot outlive itself.
    private static let excluded: Set<String> = [
        "AttachFrames", "AttachAudio", "TapAudio", "InspectSegment", "SetSoundOutput", "OpenWebControl",
        "CloseWebControl",
    ]

    static func isServed(_ method: Contract.Method) -> Bool { !excluded.contains(method.name) }

    /// The command of `enginectl` whose JSON an answer has; `nil` if it is generated from the contract.
    static func verb(_ method: Contract.Method) -> String? {
        switch method.output {
        case "engine.v1.CommandResponse": "enginectl pause --json"
        case "engine.v1.LoadResponse": "enginectl load --json"
        case "engine.v1.SessionState": "enginectl status --json"
        case "engine.v1.ListSessionsResponse": "enginectl list --json"
        case "engine.v1.MediaDescription": "enginectl probe --json"
        case "engine.v1.ListHistoryResponse": "enginectl history --json"
        case "engine.v1.WatchEvent": "enginectl watch --json"
        default: nil
        }
    }

    /// The JSON of an answer; `nil` for an event that this build does not know.
    static func json(_ method: Contract.Method, _ bytes: [UInt8]) throws(EngineError) -> JSON? {
        switch method.output {
        case "engine.v1.CommandResponse": try CommandResult(wire: bytes).json
        case "engine.v1.LoadResponse": try SessionState(loadResponse: bytes).json()
        case "engine.v1.SessionState": try SessionState(wire: bytes).json()
        case "engine.v1.ListSessionsResponse": try SessionList(wire: bytes).json
        case "engine.v1.MediaDescription": try MediaDescription(wire: bytes).json
        case "engine.v1.ListHistoryResponse": try HistoryList.entries(wire: bytes).json
        case "engine.v1.WatchEvent": try WatchEvent.decoded(bytes)?.json
        default: MessageReader(contract: .builtIn).json(bytes, as: method.output)
        }
    }
}
