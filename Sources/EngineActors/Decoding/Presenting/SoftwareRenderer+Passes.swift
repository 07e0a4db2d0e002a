// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

// What the source is asked to decode, and from where.
extension SoftwareRenderer {
    /// What the attached sinks need.
    var wishes: MediaWishes {
        MediaWishes(pictures: !outlets.isEmpty, sound: soundOutlet.active != nil)
    }

    /// Discards everything decoded so far and begins at `position`.
    func beginAnew(at position: MediaTime) {
        pictures.removeAll()
        passes.forgetLaps()
        passes.begin(at: position, lap: machine.lap, wishes, now: monotonicNanoseconds())
        soundOutlet.reset(to: position, lap: machine.lap)
        for id in outlets.keys { outlets[id]?.taken = nil }
        flushPictures()
    }

    /// Decodes from the playhead on for new sinks, and keeps what is decoded for the others.
    func beginAgain() {
        guard machine.state != .empty else { return }
        let now = monotonicNanoseconds()
        pictures.dropAll(after: machine.lap)
        soundOutlet.queue.beginPass()
        passes.begin(at: machine.playhead(at: now), lap: machine.lap, wishes, now: now)
        changed()
    }

    /// Begins to decode the start of the next lap before the end is reached.
    func beginNextLap(at now: Int64) {
        guard machine.isLooping, !wishes.isEmpty, passes.pending == nil, passes.isBegun,
            passes.current?.lap == machine.lap, let lap = passes.lap(machine.lap),
            lap.arePicturesComplete || !wishes.pictures, lap.isSoundComplete || !wishes.sound,
            let end = stock(at: now).end(machine.duration), end > .zero
        else { return }
        if wishes.sound {
            soundOutlet.queue.pad(to: end)
            soundOutlet.queue.beginPass()
            soundOutlet.queue.beginLap(machine.lap + 1, at: .zero)
        }
        passes.begin(at: .zero, lap: machine.lap + 1, wishes, now: now)
    }

    /// Discards the start that was decoded for a loop.
    func forgetNextLap() {
        guard passes.endLaps(after: machine.lap) else { return }
        pictures.dropAll(after: machine.lap)
        soundOutlet.queue.endLap(machine.lap)
        // The sink may already have some of it.
        if soundOutlet.active != nil { goOnWithSound(isNew: false) }
    }

    /// Opens what must be played and begins passes of the source, one thing at a time and only the latest of each.
    func beginPasses() async {
        while !isOver {
            if let url = wantedURL {
                wantedURL = nil
                await open(url)
            } else if let source, let pass = passes.takePending() {
                await begin(pass, of: source)
            } else {
                await nextChange()
            }
        }
    }

    private func open(_ url: String) async {
        do throws(EngineError) {
            let opened = try await opening(url)
            guard !isOver, wantedURL == nil else { return opened.close() }
            source = opened
            aimDecoder()
            settle()
        } catch {
            if wantedURL == nil { fail(error) }
        }
    }

    private func begin(_ pass: DecodingPasses.Pass, of source: any DecodedSource) async {
        do throws(EngineError) {
            try await source.begin(pass: pass.number, at: pass.position, pass.wishes)
            passes.began(pass)
            settle()
        } catch {
            guard passes.current == pass, self.source === source else { return }
            fail(error)
        }
    }
}
