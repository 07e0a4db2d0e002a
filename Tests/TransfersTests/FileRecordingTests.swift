// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Testing

@testable import Transfers

@Suite("Recordings on servers", .timeLimit(.minutes(10)))
struct FileRecordingTests {
    private static let second: Int64 = 1_000_000_000
    private static let wall: Int64 = 1_700_000_000

    private static func state(_ byteCount: Int64?, age: Int64, tag: String? = nil) -> ResourceState {
        ResourceState(byteCount: byteCount, tag: tag, modified: "\(wall - age)")
    }

    /// Whether the resource is still the same file.
    private func isSame(_ resource: inout KnownResource, _ state: ResourceState, at second: Int64) -> Bool {
        resource.update(state, now: second * Self.second)
    }

    /// A resource of 1000 bytes that was written to two seconds ago, and that counts as a recording until nothing was
    /// written to it for ten seconds.
    private func recorded(isFollowed: Bool = true) -> KnownResource {
        var resource = KnownResource()
        resource.merge(Self.state(1000, age: 2))
        resource.record(quiet: .seconds(10), wall: Self.wall, now: 0)
        if isFollowed { resource.followRecording() }
        return resource
    }

    @Test(
        "A file is a recording if the server states that it was written to recently",
        arguments: [
            (Self.state(1000, age: 9), 10, true), (Self.state(1000, age: 10), 10, false),
            // The server's clock may be ahead.
            (Self.state(1000, age: -100), 10, true), (Self.state(1000, age: -100), 0, false),
            (Self.state(nil, age: 0), 10, false), (ResourceState(byteCount: 1000), 10, false),
            (ResourceState(byteCount: 1000, modified: "Sun, 06 Nov 1994 08:49:37 GMT"), 10, false),
            (ResourceState(byteCount: 1000, modified: "\(Int64.min)"), 10, false),
        ]
    )
    func recognizes(state: ResourceState, quiet: Int64, isOne: Bool) {
        let recording = FileRecording(state, quiet: .seconds(quiet), wall: Self.wall, now: 0)
        #expect((recording != nil) == isOne)
    }

    @Test("A recording grows until nothing was written to it for a while")
    func grows() {
        var resource = recorded()
        #expect(resource.recording?.isGrowing == true && resource.recording?.opened.byteCount == 1000)
        #expect(isSame(&resource, Self.state(1500, age: -5), at: 5))
        #expect(resource.state.byteCount == 1500 && resource.endsBefore(1500) && !resource.endsBefore(1499))
        #expect(isSame(&resource, Self.state(1500, age: -5), at: 14))
        #expect(resource.recording?.isGrowing == true)
        #expect(isSame(&resource, Self.state(1500, age: -6), at: 15))
        #expect(resource.recording?.isGrowing == false)
        // The length of the ended recording is final.
        #expect(isSame(&resource, Self.state(2000, age: -20), at: 20))
        #expect(resource.state.byteCount == 1500)
    }

    @Test("A recording that has become shorter is another file")
    func shrinks() {
        var resource = recorded()
        #expect(!isSame(&resource, Self.state(999, age: 0), at: 1))
        #expect(resource.state.byteCount == 1000)
    }

    @Test("Other lengths, times and tags do not mean that a recording has changed", arguments: [true, false])
    func tolerates(isFollowed: Bool) {
        var resource = recorded(isFollowed: isFollowed)
        #expect(resource.recording?.isGrowing == isFollowed)
        let known = resource.state
        let file = TransferHead.file(FileAnswer(byteCount: 5000, modified: Self.wall))
        let fileResponse = resource.response(file, to: .bytes(100..<200), begunAfter: 0)
        #expect(fileResponse == .part(100..<200, known))
        let fields: [ResponseHead.Field] = [.init("ETag", "\"b\""), .init("Content-Range", "bytes 100-199/5000")]
        let helper = TransferHead.http(ResponseHead(status: 206, fields: fields))
        let helperResponse = resource.response(helper, to: .bytes(100..<200), begunAfter: 0)
        #expect(helperResponse == .part(100..<200, known))
    }

    @Test("A recording is lost if its server has not answered for a minute")
    func loses() {
        var recording = FileRecording(Self.state(1000, age: 0), quiet: .seconds(10), wall: Self.wall, now: 0)
        #expect(recording?.isLost(now: 59 * Self.second) == false)
        recording?.update(byteCount: 1000, now: 30 * Self.second)
        #expect(recording?.isLost(now: 89 * Self.second) == false && recording?.isLost(now: 90 * Self.second) == true)
    }
}
