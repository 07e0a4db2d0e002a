// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@Suite("Requests")
struct TransferRequestTests {
    @Test("No text of a request, or of a value that contains its options, has a secret")
    func hidesSecrets() throws {
        var http = HTTPOptions()
        http.headers = [try HTTPHeader(name: "X-Key", value: "secret")]
        http.connection.credentials = .basic(user: "me", password: "secret")
        http.connection.proxy = .url("http://me:secret@proxy:1")
        http.connection.clientCertificate = HTTPClientCertificate(
            certificate: "/c.pem",
            key: "/k.pem",
            passphrase: "secret"
        )
        var request = TransferRequest(try ResourceURL("https://me:secret@host/film.mkv?token=secret"), byteLimit: 1)
        request.headers = http.headers
        request.credentials = .bearer("secret")
        request.settings = ConnectionSettings(http.connection)
        for text in [
            "\(request)", "\(Optional(request) as Any)", "\(request.url)", "\(request.settings)", "\(http)",
            "\([http])",
            String(reflecting: request), String(reflecting: http), "\(HTTPCredentials.bearer("secret"))",
        ] {
            #expect(!text.contains("secret"))
        }
        #expect("\(request)" == "GET https://host/film.mkv")
    }
}
