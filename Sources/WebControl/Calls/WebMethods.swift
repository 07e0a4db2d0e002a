// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel
internal import Wire

/// The RPCs that are served over HTTP, and the form of their answers.
enum WebMethods {
    /// The calls that are not served: those that hand over memory or a socket, which JSON cannot carry; `TapAudio` and
    /// `InspectSegment`, which carry media; `SetSoundOutput` and `StartRecording`, because they may write files; and
    /// calls that make or revoke tokens, so that no token can be used to get another.
    private static let excluded: Set<String> = [
        "AttachFrames", "AttachAudio", "TapAudio", "InspectSegment", "SetSoundOutput", "StartRecording",
        "OpenWebControl", "CloseWebControl", "RegisterSource",
    ]

    static func isServed(_ method: Contract.Method) -> Bool { !excluded.contains(method.name) }

    /// What the JSON of an answer is; `nil` if it has the fields of the contract.
    static func form(_ method: Contract.Method) -> String? {
        func printed(_ verb: String) -> String { "(`enginectl \(verb) --json`)" }
        let form: String? =
            switch method.output {
            case "engine.v1.CommandResponse": "A state \(printed("pause"))"
            case "engine.v1.LoadResponse": "A state \(printed("load"))"
            case "engine.v1.SessionState": "A state \(printed("status"))"
            case "engine.v1.ListSessionsResponse": "Sessions \(printed("list"))"
            case "engine.v1.MediaDescription": "A source \(printed("probe"))"
            case "engine.v1.ListHistoryResponse": "Entries \(printed("history"))"
            case "engine.v1.WatchEvent": "An event \(printed("watch"))"
            case "engine.v1.GetCuesResponse":
                "`cues` \(printed("cues")), `tracks` \(printed("subtitles")), `progress` and `script_header`"
            case "engine.v1.DrawSubtitlesResponse":
                "`pictures` \(printed("draw")), `track` \(printed("subtitles")), `progress`, and the number of `fonts`"
            case "engine.v1.Still": "A still \(printed("snapshot")), with `data` in place of `file`"
            case "engine.v1.ContactSheetProgress":
                "`done`, `total`, and in the end `sheet` \(printed("contact-sheet")), with `data` in place of `file`"
            case "engine.v1.MeasureLoudnessResponse": "`progress`, and in the end levels \(printed("loudness"))"
            default: nil
            }
        return form.map { "\($0): docs/enginectl.md." }
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
        case "engine.v1.GetCuesResponse": try CueBatch(wire: bytes).json
        case "engine.v1.DrawSubtitlesResponse": try DrawnBatch(wire: bytes).json
        case "engine.v1.Still": try Still(wire: bytes).json()
        case "engine.v1.ContactSheetProgress": try ContactSheetProgress(wire: bytes).json
        case "engine.v1.MeasureLoudnessResponse": try LoudnessStep(wire: bytes).json(showsProgress: true)
        default: MessageReader(contract: .builtIn).json(bytes, as: method.output)
        }
    }
}

extension ContactSheetProgress {
    fileprivate var json: JSON {
        .object(("done", .integer(done)), ("total", .integer(total)), ("sheet", sheet?.json(hasTime: false)))
    }
}
