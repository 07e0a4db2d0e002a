// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel

/// The OpenAPI 3.1 document of control over HTTP, generated from the contract.
struct OpenAPI {
    let contract: Contract

    /// Kept as text, because it never changes while the process runs.
    static let builtIn = OpenAPI(contract: .builtIn).document.text

    var document: JSON {
        let methods = contract.methods.filter { WebMethods.isServed($0) }
        return .object(
            ("openapi", .string("3.1.0")),
            (
                "info",
                .object(
                    ("title", .string("engined")),
                    ("version", .string(ProductVersion.current)),
                    ("description", .string("Control over HTTP: docs/web.md."))
                )
            ),
            ("servers", .array([.object(("url", .string("/web/api")))])),
            ("security", .array([.object(("token", .array([])))])),
            ("paths", .object(methods.map { JSON.Member(name: "/\($0.name)", value: path($0)) })),
            (
                "components",
                .object(
                    (
                        "securitySchemes",
                        .object(("token", .object(("type", .string("http")), ("scheme", .string("bearer")))))
                    ),
                    ("schemas", .object(schemas(methods)))
                )
            )
        )
    }

    private func path(_ method: Contract.Method) -> JSON {
        let type = method.answersStream ? "text/event-stream" : "application/json"
        let answer: JSON =
            if let form = WebMethods.form(method) {
                .object(("type", .string("object")), ("description", .string(form)))
            } else {
                reference(method.output)
            }
        return .object(
            (
                "post",
                .object(
                    ("operationId", .string(method.name)),
                    ("requestBody", .object(("required", .bool(true)), ("content", content(reference(method.input))))),
                    (
                        "responses",
                        .object(
                            (
                                "200",
                                .object(
                                    (
                                        "description",
                                        .string(method.answersStream ? "Events, each a line of JSON." : "The answer.")
                                    ),
                                    ("content", .object([JSON.Member(name: type, value: .object(("schema", answer)))]))
                                )
                            ),
                            (
                                "default",
                                .object(
                                    ("description", .string("Why it failed: docs/errors.md.")),
                                    ("content", content(.object(("$ref", .string("#/components/schemas/Error")))))
                                )
                            )
                        )
                    )
                )
            )
        )
    }

    private func content(_ schema: JSON) -> JSON {
        .object([JSON.Member(name: "application/json", value: .object(("schema", schema)))])
    }

    private func reference(_ type: String) -> JSON { .object(("$ref", .string("#/components/schemas/\(type)"))) }

    /// Every message that is contained in a request, or in an answer with the fields of the contract
    /// (`WebMethods.form`).
    private func schemas(_ methods: [Contract.Method]) -> [JSON.Member] {
        var names = Set(methods.map(\.input) + methods.filter { WebMethods.form($0) == nil }.map(\.output))
        var waiting = Array(names)
        while let name = waiting.popLast() {
            for case .message(let inner) in (contract.messages[name] ?? []).map(\.kind)
            where names.insert(inner).inserted {
                waiting.append(inner)
            }
        }
        let error = JSON.object(
            ("type", .string("object")),
            (
                "properties",
                .object(
                    (
                        "error",
                        .object(
                            ("type", .string("object")),
                            (
                                "properties",
                                .object(
                                    ("code", Self.plain("string")),
                                    ("message", Self.plain("string")),
                                    ("cause", Self.plain("string")),
                                    ("field", Self.plain("string"))
                                )
                            )
                        )
                    )
                )
            )
        )
        return names.sorted().map { JSON.Member(name: $0, value: schema(of: $0)) } + [
            JSON.Member(name: "Error", value: error)
        ]
    }

    private func schema(of message: String) -> JSON {
        let members = (contract.messages[message] ?? []).map { field in
            let one = schema(of: field.kind)
            let value = field.isRepeated ? JSON.object(("type", .string("array")), ("items", one)) : one
            return JSON.Member(name: field.name, value: value)
        }
        return .object(
            ("type", .string("object")),
            ("properties", .object(members)),
            ("additionalProperties", .bool(false))
        )
    }

    private func schema(of kind: Contract.Kind) -> JSON {
        switch kind {
        case .double, .float: Self.plain("number")
        case .int32, .sint32: .object(("type", .string("integer")), ("format", .string("int32")))
        case .int64: .object(("type", .string("integer")), ("format", .string("int64")))
        case .uint32, .uint64: .object(("type", .string("integer")), ("minimum", .whole(0)))
        case .bool: Self.plain("boolean")
        case .string: Self.plain("string")
        case .bytes: .object(("type", .string("string")), ("contentEncoding", .string("base64")))
        case .message(let type): reference(type)
        case .choice(let type):
            .object(
                ("type", .string("string")),
                ("enum", .array((contract.choices[type] ?? []).dropFirst().map { .string($0.word) }))
            )
        }
    }

    private static func plain(_ type: String) -> JSON { .object(("type", .string(type))) }
}
