// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel
internal import Testing
internal import Wire

@testable import WebControl

@Suite("The contract as JSON")
struct ContractTests {
    private static let writer = MessageWriter(contract: .builtIn)

    private static func bytes(_ text: String, as type: String) throws -> [UInt8] {
        try writer.bytes(of: JSON(parsing: Array(text.utf8)), as: "engine.v1.\(type)")
    }

    @Test("has every method of the service, with its streams")
    func methods() throws {
        let methods = Contract.builtIn.methods
        #expect(methods.count > 40)
        let watch = try #require(methods.first { $0.name == "Watch" })
        #expect(watch.answersStream && !watch.takesStream && watch.input == "engine.v1.WatchRequest")
        let render = try #require(methods.first { $0.name == "Render" })
        #expect(render.answersStream && render.takesStream)
    }

    @Test("is written as the engine reads it")
    func writes() throws {
        let text =
            #"{"session":"s1","position_us":-5000000,"relative":true,"mode":"keyframe","after":"AFTER_SEEK_PLAY"}"#
        let request = try CommandRequest(seek: Self.bytes(text, as: "SeekRequest"))
        #expect(request.session == SessionID(rawValue: "s1"))
        let seek = SeekCommand(.relative(.seconds(-5)), mode: .keyframe, thenPlay: true)
        #expect(request.command == .player(.seek(seek)))
        let audio = try CommandRequest(
            selectAudio: Self.bytes(#"{"audio":{"stream_index":2}}"#, as: "SelectAudioRequest")
        )
        #expect(audio.command == .tracks(.selectAudio(.stream(2))))
        let rate = try CommandRequest(setRate: Self.bytes(#"{"rate":1.5,"session_id":null}"#, as: "SetRateRequest"))
        #expect(rate.command == .player(.setRate(1.5)))
    }

    @Test(
        "names the member that is wrong",
        arguments: [
            (#"{"positionn_us":1}"#, "positionn_us"), (#"{"position_us":"x"}"#, "position_us"),
            (#"{"position_us":1.5}"#, "position_us"), (#"{"relative":1}"#, "relative"), (#"{"mode":"slow"}"#, "mode"),
            (#"{"session_id":7}"#, "session_id"),
        ]
    )
    func refuses(text: String, field: String) throws {
        let value = try JSON(parsing: Array(text.utf8))
        let error = #expect(throws: EngineError.self) {
            try Self.writer.bytes(of: value, as: "engine.v1.SeekRequest")
        }
        #expect(error?.code == .invalidArgument && error?.field == field)
    }

    @Test("names the member within others, and refuses two of a oneof")
    func refusesWithin() throws {
        let inner = #expect(throws: EngineError.self) {
            try Self.bytes(#"{"audio":{"stream_index":-1}}"#, as: "SelectAudioRequest")
        }
        #expect(inner?.field == "audio.stream_index")
        let both = #"{"audio":{"stream_index":1,"languages":{"languages":["de"]}}}"#
        #expect(throws: EngineError.self) { try Self.bytes(both, as: "SelectAudioRequest") }
    }

    @Test("is read back as it was written")
    func readsBack() throws {
        let reader = MessageReader(contract: .builtIn)
        let text = #"{"number":3,"seek":{"id":4,"position_us":-1}}"#
        let bytes = try Self.bytes(text, as: "RenderCommand")
        #expect(reader.json(bytes, as: "engine.v1.RenderCommand").text == text)
        let rate = try Self.bytes(#"{"rate":0.5}"#, as: "RenderCommand")
        #expect(reader.json(rate, as: "engine.v1.RenderCommand").text == #"{"number":0,"rate":0.5}"#)
    }

    @Test("writes digests as hexadecimal text, which every parser of JSON keeps")
    func digests() throws {
        let reader = MessageReader(contract: .builtIn)
        let bytes = try Self.bytes(#"{"id":"ffffffffffffff01"}"#, as: "Cue")
        let json = reader.json(bytes, as: "engine.v1.Cue")
        #expect(json["id"] == .string("ffffffffffffff01"))
        #expect(throws: EngineError.self) { try Self.bytes(#"{"id":"xyz"}"#, as: "Cue") }
    }

    @Test("is described by a document that names every served method and refers to nothing that is missing")
    func document() throws {
        let document = OpenAPI(contract: .builtIn).document
        #expect(try JSON(parsing: Array(document.text.utf8)) == document)
        #expect(document["paths"]?["/Seek"]?["post"]?["operationId"]?.string == "Seek")
        #expect(document["paths"]?["/OpenWebControl"] == nil && document["paths"]?["/AttachFrames"] == nil)
        let schemas = try #require(document["components"]?["schemas"])
        for part in document.text.split(separator: "#/components/schemas/").dropFirst() {
            let name = part.prefix { $0 != "\"" }
            #expect(schemas[String(name)] != nil, "\(name)")
        }
    }
}
