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

    @Test("has every field of every message")
    func fields() throws {
        var waiting = Node(builtInDescriptorSet()).nodes(1).flatMap { file in
            file.nodes(4).map { (file.text(2) ?? "", $0) }
        }
        var count = 0
        while let (scope, message) = waiting.popLast() {
            let name = "\(scope).\(message.text(1) ?? "")"
            let known = try #require(Contract.builtIn.messages[name])
            #expect(known.map(\.name) == message.nodes(2).compactMap { $0.text(1) }, "\(name)")
            waiting += message.nodes(3).map { (name, $0) }
            count += known.count
        }
        #expect(count > 500)
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
        for z in [0, -1, 1, -7, 2_147_483_647, -2_147_483_648] {
            let overlay = #"{"name":"o","svg":"<svg/>","rectangle":{"width":1,"height":1},"z":\#(z)}"#
            let put = try CommandRequest(
                putOverlay: Self.bytes(#"{"overlay":\#(overlay)}"#, as: "PutOverlayRequest")
            )
            guard case .filters(.put(let found)) = put.command else {
                Issue.record("\(put.command)")
                continue
            }
            #expect(found.z == z)
            let bytes = try Self.bytes(overlay, as: "Overlay")
            #expect(MessageReader(contract: .builtIn).json(bytes, as: "engine.v1.Overlay")["z"] == .integer(z))
        }
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

    private static func answer(_ name: String, _ text: String) throws -> JSON? {
        let method = try #require(Contract.builtIn.methods.first { $0.name == name })
        let type = method.output.split(separator: ".").last.map(String.init) ?? ""
        return try WebMethods.json(method, bytes(text, as: type))
    }

    @Test("has cues, pictures and loudness in the forms that enginectl prints")
    func forms() throws {
        let cues = #"{"cues":[{"id":"18446744073709551361","track":3,"end_us":-1,"text":{"plain":"a"}}],"progress":1}"#
        let text = try #require(try Self.answer("GetCues", cues)?.text)
        #expect(text.hasPrefix(#"{"tracks":[],"cues":[{"id":"ffffffffffffff01","track":3,"start_us":0,"end_us":null,"#))
        #expect(text.contains(#""text":"a","runs":[]"#) && text.hasSuffix(#""progress":1.0}"#))
        let drawn = #"{"pictures":[{"start_us":5,"end_us":-1,"images":[{"png":"","width":2}]}],"progress":0.5}"#
        let pictures = try #require(try Self.answer("DrawSubtitles", drawn)?.text)
        #expect(pictures.hasPrefix(#"{"pictures":[{"start_us":5,"end_us":null,"images":[{"png":"","width":2,"#))
        #expect(pictures.hasSuffix(#""progress":0.5}"#))
        #expect(
            try Self.answer("MeasureLoudness", #"{"progress":0.5,"stream_index":1}"#)?.text
                == #"{"progress":0.5,"stream":1}"#
        )
        let last = #"{"progress":1,"stream_index":1,"loudness":{"integrated_lufs":-23,"duration_us":9}}"#
        #expect(
            try Self.answer("MeasureLoudness", last)?.text
                == #"{"progress":1.0,"stream":1,"integrated_lufs":-23.0,"range_lu":0.0,"true_peak_dbtp":0.0,"duration_us":9}"#
        )
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
