// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

@Suite struct URLReferenceTests {
    @Test(
        "References are resolved as in RFC 3986 §5.4",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"), ("http:g", "http:g"),
        ]
    )
    func examples(_ reference: String, _ target: String) {
        #expect(URLReference("http://a/b/c/d;p?q").resolving(reference) == target)
    }

    @Test(
        "References are also resolved against bases that are not files on a server",
        arguments: [
            ("http://a", "g", "http://a/g"), ("http://a?q", "g", "http://a/g"),
            ("file:///a/b.m3u8", "c d.ts", "file:///a/c d.ts"),
            ("/a/b.m3u8", "../c.ts", "/c.ts"), ("b.m3u8", "c.ts", "c.ts"),
            ("https://a/b", "data:text/plain;base64,AA/../AA==", "data:text/plain;base64,AA/../AA=="),
            ("https://a/b", "12:30:00.ts", "https://a/12:30:00.ts"),
            ("https://a/b/", "//c:8080/../d", "https://c:8080/d"),
        ]
    )
    func bases(_ base: String, _ reference: String, _ target: String) {
        #expect(URLReference(base).resolving(reference) == target)
    }
}
