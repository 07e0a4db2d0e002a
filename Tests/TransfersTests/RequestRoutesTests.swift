// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Transfers

@Suite("Request routes")
struct RequestRoutesTests {
    private func request(_ url: String) throws -> TransferRequest {
        TransferRequest(try ResourceURL(url), byteLimit: .max)
    }

    private func routes(access: NetworkAccess = .on) throws -> RequestRoutes {
        var configuration = HTTPSourceConfiguration(try request("http://example.org/film"))
        configuration.access = access
        configuration.ownPorts = [8080]
        return RequestRoutes(configuration)
    }

    private func redirect(to place: String) -> ResponseHead {
        ResponseHead(status: 302, fields: [ResponseHead.Field("Location", place)])
    }

    @Test("Requests go to the source's URL until a redirect has led to the resource, and then to the redirect's target")
    func pins() throws {
        var routes = try routes()
        let first = try routes.next(after: nil)
        #expect(first.url.text == "http://example.org/film")
        let followed = try #require(try routes.following(redirect(to: "http://example.com/there"), from: first))
        let redirected = try routes.next(after: followed)
        #expect(redirected.url.text == "http://example.com/there")
        #expect(routes.currentRequest.url.text == "http://example.org/film", "nothing was found there yet")
        routes.arrived(along: redirected)
        let later = try routes.next(after: nil)
        #expect(later.url.text == "http://example.com/there")
        #expect(routes.currentRequest.url.text == "http://example.com/there")
        routes.returnToOriginal()
        #expect(routes.currentRequest.url.text == "http://example.org/film")
    }

    @Test("After a refresh no redirect of the old URL is followed or kept")
    func refreshed() throws {
        var routes = try routes()
        let old = try routes.next(after: nil)
        let led = try #require(try routes.following(redirect(to: "http://example.com/there"), from: old))
        routes.arrived(along: led)
        routes.refresh(try request("http://example.net/film"))
        #expect(routes.currentRequest.url.text == "http://example.net/film")
        let late = try routes.following(redirect(to: "http://example.com/there"), from: old)
        #expect(late == nil)
        routes.arrived(along: led)
        #expect(routes.currentRequest.url.text == "http://example.net/film")
    }

    @Test("A redirect without a response or a target is refused")
    func leadsNowhere() throws {
        var routes = try routes()
        let route = try routes.next(after: nil)
        #expect(throws: RedirectPolicy.Refusal.noLocation) { try routes.following(nil, from: route) }
        #expect(throws: RedirectPolicy.Refusal.noLocation) {
            try routes.following(ResponseHead(status: 302, fields: []), from: route)
        }
    }

    @Test("A host that the settings forbid is not asked, also after a redirect")
    func settings() throws {
        var routes = try routes(access: .hosts(["example.org"]))
        let first = try routes.next(after: nil)
        let led = try #require(try routes.following(redirect(to: "http://example.com/there"), from: first))
        let failure = #expect(throws: SourceFailure.self) { try routes.next(after: led) }
        #expect(failure?.kind == .setting)
    }

    @Test("A redirect to a numeric address of narrower scope, or to one of the engine's own servers, is refused")
    func addresses() throws {
        for place in ["http://10.0.0.1/film", "http://127.0.0.1:8080/film"] {
            var routes = try routes()
            let first = try routes.next(after: nil)
            let refusal = routes.judge(TransferPeer("93.184.216.34", port: 80), along: first.hosts)
            #expect(refusal == nil)
            let led = try #require(try routes.following(redirect(to: place), from: first))
            let failure = #expect(throws: SourceFailure.self) { try routes.next(after: led) }
            guard case .address = failure?.kind else {
                Issue.record("\(place): \(String(describing: failure))")
                continue
            }
        }
    }
}
