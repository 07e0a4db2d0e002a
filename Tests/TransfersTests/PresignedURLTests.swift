// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Presigned URLs")
struct PresignedURLTests {
    @Test(
        "The expiry is read from the query in the forms of the large object stores",
        arguments: [
            ("X-Amz-Algorithm=a&X-Amz-Date=20240229T000000Z&X-Amz-Expires=600&X-Amz-Signature=b", 1_709_165_400),
            ("X-Goog-Date=19941106T084937Z&X-Goog-Expires=1", 784_111_778),
            ("X-Oss-Expires=0&X-Oss-Date=19700101T000000Z", 0),
            ("AWSAccessKeyId=key&Signature=a%2Bb%3D&Expires=784111777", 784_111_777),
            ("sp=r&se=1994-11-06T08%3A49%3A37Z&sig=a", 784_111_777), ("se=1994-11-06T08:49Z&sig=a", 784_111_740),
            ("se=1970-01-02&sig=a", 86_400),
        ] as [(String, Int64)]
    )
    func reads(query: String, expiry: Int64) throws {
        let url = try ResourceURL("https://store.example/films/film.mkv?\(query)")
        #expect(PresignedURL.expiry(of: url) == expiry)
    }

    @Test(
        "Other arguments state no expiry, and numbers are limited",
        arguments: [
            "", "Expires=784111777", "se=1994-11-06", "sig=a&se=soon", "sig=a&se=1994-13-06",
            "sig=a&se=1994-11-06T08:49:37.5Z",
            "X-Amz-Expires=600", "X-Amz-Date=20240229T000000Z", "X-Amz-Date=20240229T000000Z&X-Amz-Expires=-1",
            "X-Amz-Date=20240229T000000Z&X-Amz-Expires=9223372036854775807", "Signature=a&Expires=x",
            "Signature=a&Expires=%zz",
            "sig=a&se=99999999999999999999", "X-Amz-Date=%C3%A4&X-Amz-Expires=1", "&&==&=a&sig", "sig=a&se=0000-01-01",
        ]
    )
    func ignores(query: String) throws {
        let url = try ResourceURL("https://store.example/films/film.mkv?\(query)")
        #expect(PresignedURL.expiry(of: url) == nil)
    }
}
