// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@Suite("Requests")
struct TransferRequestTests {
    @Test("No description of a request or of its options shows a secret")
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

@Suite("User names and passwords in URLs")
struct URLCredentialsTests {
    @Test(
        "They are decoded, and either may be missing",
        arguments: [
            ("sftp://f%20m:P%2fW@h/a", "f m", "P/W"), ("sftp://film@h/a", "film", ""), ("sftp://:PW@h/a", "", "PW"),
            ("smb://film:@h/a", "film", ""),
        ]
    )
    func decoded(text: String, user: String, password: String) throws {
        let url = text.hasPrefix("smb") ? try ResourceURL(forHelper: text) : try ResourceURL(text)
        #expect(url.credentials == .basic(user: user, password: password))
    }

    @Test(
        "A URL is malformed if its user name or password holds a control character or is not UTF-8",
        arguments: [
            "sftp://fi%0Alm:PW@h/a", "sftp://film%00x:PW@h/a", "ftp://film%0aX:PW@h/a", "sftp://film:P%0AW@h/a",
            "sftp://f%E9lm:PW@h/a", "https://fi%1Blm:PW@h/a",
        ]
    )
    func refused(text: String) {
        #expect(throws: ResourceURL.Failure.malformed) { try ResourceURL(text) }
    }

    @Test(
        "An argument that is added to a query replaces those of the same name",
        arguments: [
            ("http://h/a", "http://h/a?C=x"), ("http://h/a?b=1", "http://h/a?b=1&C=x"),
            ("http://h/a?C=1&b=2&C=3", "http://h/a?b=2&C=x"), ("http://h/a?Cb=1", "http://h/a?Cb=1&C=x"),
        ]
    )
    func arguments(url: String, expected: String) throws {
        #expect(try ResourceURL(url).adding(argument: "C", "x").text == expected)
    }

    @Test(
        "A file that a helper's source names has the arguments of that source, and none of its own",
        arguments: [
            ("nfs://h/e/a/b.m3u8?version=3", "nfs://h/e/a/1.ts", "nfs://h/e/a/1.ts?version=3"),
            ("nfs://h/e/b.m3u8?version=3", "nfs://h/e/1.ts?uid=0", "nfs://h/e/1.ts?version=3"),
            ("smb://me:PW@h/s/b.m3u8", "smb://you:no@h/s/1.ts?x", "smb://h/s/1.ts"),
        ]
    )
    func namedByHelpers(list: String, file: String, expected: String) throws {
        #expect(try ResourceURL(forHelper: list).helperURL(named: file).text == expected)
    }

    @Test("A helper's source can name only URLs of its own scheme")
    func otherSchemes() throws {
        let list = try ResourceURL(forHelper: "smb://h/s/b.m3u8")
        for text in ["nfs://h/s/1.ts", "http://h/s/1.ts", "file:///s/1.ts", "1.ts"] {
            #expect(throws: ResourceURL.Failure.self) { try list.helperURL(named: text) }
        }
    }

    @Test(
        "References in a file on an SFTP or FTP server are resolved although its folder has a question mark in its name"
    )
    func bases() throws {
        #expect(try ResourceURL("sftp://h/who?/b.m3u8").base == "sftp://h/who%3F/b.m3u8")
        #expect(try ResourceURL("https://h/b.m3u8?a=1").base == "https://h/b.m3u8?a=1")
    }

    @Test("A user name and a password in the target of a redirect are ignored")
    func references() throws {
        let url = try ResourceURL("https://h/a").resolving("https://fi%0Alm:PW@h/b")
        #expect(url.credentials == nil && url.text == "https://h/b")
    }
}

@Suite("Hosts in URLs")
struct URLHostTests {
    @Test("A URL without a host is malformed: its first folder is not taken for the host")
    func missing() {
        for text in ["local:///srv/film.mkv", "smb:////nas/film.mkv"] {
            #expect(throws: ResourceURL.Failure.malformed) { try ResourceURL(forHelper: text) }
        }
        for text in ["sftp:///film.mkv", "http:///host/film.mkv"] {
            #expect(throws: ResourceURL.Failure.malformed) { try ResourceURL(text) }
        }
    }

    @Test("The folders in the path may have empty names")
    func present() throws {
        #expect(try ResourceURL("ftp://host//srv/film.mkv").origin.host == "host")
        #expect(try ResourceURL(forHelper: "local://any///film.mkv").origin.host == "any")
    }
}
