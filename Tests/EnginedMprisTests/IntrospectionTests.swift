// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct IntrospectionTests {
    @Test(
        "Every node on the path to the player lists the next one",
        arguments: [
            ("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2"),
        ]
    )
    func ancestors(path: String, child: String) throws {
        #expect(try #require(Introspection.document(of: path)).contains("<node name=\"\(child)\"/>"))
    }

    @Test("Other paths have no object", arguments: ["", "/o", "/org/mpri", "/org/mpris/MediaPlayer2/x", "/other"])
    func others(path: String) {
        #expect(Introspection.document(of: path) == nil)
    }

    @Test("The properties in the document are exactly those that can be read")
    func properties() throws {
        let document = try #require(Introspection.document(of: MPRIS.objectPath))
        let described = document.split(separator: "<property name=\"").dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
        let answered = Array(RootProperties.values.keys) + PlayerProperties().values.keys + ["Position"]
        #expect(described.sorted() == answered.sorted())
    }
}
