// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel
internal import Wire

/// The RPCs that are served over HTTP, and the form of their answers.
enum WebMethods {
    /// The calls that are not served: those that hand over memory or a socket, or that send or receive a stream of
    /// bytes, because JSON can carry none of this; `SetSoundOutput` and `StartRecording`, because they may write files;
    /// and calls that make or revoke tokens, so that no token can be used to get another.
    private static let excluded: Set<String> = [
        "AttachFrames", "AttachAudio", "TapAudio", "InspectSegment", "SetSoundOutput", "StartRecording",
        "OpenWebControl", "CloseWebControl", "RegisterSource",
    ]

    static func isServed(_ method: Contract.Method) -> Bool { !excluded.contains(method.name) }

    /// The `enginectl` command that prints the answer in the same form; `nil` if the form is generated from the
    /// contract.
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
