// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

// Frames, from the decoder to the sinks.
extension SoftwareRenderer {
    /// Begins to give frames to `sink`, starting with the one to show now.
    package func attach(_ sink: any PictureSink) -> SinkID {
        let id = nextSinkID()
        let isFirst = outlets.isEmpty
        outlets[id] = PictureOutlet(sink: sink)
        aimDecoder()
        sink.flush(to: machine.generation)
        machine.forgetWhatWasTold()
        // Cancelled by `detach`, which also runs when the renderer is over.
        outlets[id]?.pump = Task { await self.pump(id) }
        if isFirst { beginAgain() }
        settle()
        return id
    }

    /// Gives nothing more to the sink, whether of video or audio.
    package func detach(_ id: SinkID) {
        if let outlet = outlets.removeValue(forKey: id) {
            outlet.pump?.cancel()
            outlet.sink.flush(to: machine.generation)
            aimDecoder()
            if outlets.isEmpty {
                pictures.removeAll()
                source?.narrow(to: wishes)
            }
        }
        removeSound(id)
        settle()
    }

    /// Lets the decoder put frames into the memory of the video sink, if there is only one.
    func aimDecoder() {
        let only = outlets.count == 1 ? outlets.values.first : nil
        source?.decode(into: only?.sink.pictureMemory)
    }

    func flushPictures() {
        for id in outlets.keys {
            outlets[id]?.sink.flush(to: machine.generation)
            outlets[id]?.isFinished = false
        }
        machine.forgetWhatWasTold()
    }

    func tellAnchor() {
        guard machine.state != .empty, let anchor = machine.takeAnchor() else { return }
        for outlet in outlets.values { outlet.sink.follow(anchor, generation: machine.generation) }
    }

    // MARK: Decoding

    func pullPictures() async {
        while !isOver {
            guard let source, let pass = passes.current, passes.isBegun, pass.wishes.pictures, wishes.pictures,
                pictures.hasRoom, let lap = passes.lap(pass.lap), !lap.arePicturesComplete
            else {
                await nextChange()
                continue
            }
            do throws(EngineError) {
                let supply = try await source.nextPicture(pass: pass.number)
                // The last video sink may be gone.
                guard passes.current == pass, wishes.pictures else { continue }
                take(supply, of: pass, from: source)
                settle()
            } catch {
                if passes.current == pass { fail(error) }
            }
        }
    }

    private func take(
        _ supply: Supply<TimedPicture>,
        of pass: DecodingPasses.Pass,
        from source: any DecodedSource
    ) {
        switch supply {
        case .superseded: return
        case .ended: passes.update(pass.lap) { $0.arePicturesComplete = true }
        case .next(let picture):
            let now = monotonicNanoseconds()
            let known = passes.lap(pass.lap)?.picturesEnd ?? .zero
            passes.update(pass.lap) {
                $0.picturesEnd = max(known, picture.end)
                $0.hasPictures = true
                $0.lastPictureAt = now
            }
            // Decoding began again for another sink: this frame is already there.
            let isThere = pictures.contains(lap: pass.lap) && picture.end <= known
            if isThere || isLate(picture, of: pass, at: now, source) { return }
            pictures.append(picture, lap: pass.lap)
        }
    }

    /// Whether a frame is so late that its successor is already due. Reports this to the decoder.
    private func isLate(
        _ picture: TimedPicture,
        of pass: DecodingPasses.Pass,
        at now: Int64,
        _ source: any DecodedSource
    ) -> Bool {
        let position = machine.playhead(at: now)
        guard machine.movingRate > 0, pace == nil, pass.lap == machine.lap else { return false }
        source.catchUp(to: picture.end < position ? position : nil)
        guard picture.end <= position else { return false }
        // If nothing new has been shown for long, even a late frame is taken.
        let seen = pictures.current(at: position, lap: pass.lap)?.picture.time
        if let seen, picture.time - seen > MediaTime(microseconds: 200_000) { return false }
        guard seen != nil else { return false }
        reports.droppedFrames += 1
        return true
    }

    // MARK: Output

    /// Gives one sink its frames, as long as it is attached.
    private func pump(_ id: SinkID) async {
        while !isOver, let outlet = outlets[id] {
            guard let entry = nextPicture(for: outlet) else {
                finishIfComplete(id)
                await nextChange()
                continue
            }
            let generation = machine.generation
            outlets[id]?.lastNumber = entry.number
            let reception = await outlet.sink.take(entry.picture, generation: generation)
            guard outlets[id] != nil else { return }
            count(reception)
            switch reception {
            case .taken, .takenInPlace: if generation == machine.generation { outlets[id]?.taken = entry.picture.end }
            case .dropped:
                if generation == machine.generation {
                    reports.droppedFrames += 1
                    outlets[id]?.taken = entry.picture.end
                }
            case .gone:
                detach(id)
                return
            }
            if !outlet.sink.isRealTime { settle() }
        }
    }

    private func nextPicture(for outlet: PictureOutlet) -> PictureQueue.Entry? {
        guard machine.state != .empty,
            let entry = pictures.next(after: outlet.lastNumber, lap: machine.lap)
        else { return nil }
        guard !outlet.sink.isRealTime else { return entry }
        // While nothing moves, a sink that keeps no time gets only the first frame of a generation.
        if outlet.taken == nil { return entry }
        guard machine.state == .moving else { return nil }
        let lead = MediaTime(microseconds: 500_000)
        let isSoundThere = soundOutlet.active == nil || (passes.lap(machine.lap)?.isSoundComplete ?? false)
        return isSoundThere || entry.picture.time <= (soundOutlet.taken ?? .zero) + lead ? entry : nil
    }

    private func finishIfComplete(_ id: SinkID) {
        guard let outlet = outlets[id], !outlet.isFinished, !machine.isLooping,
            let lap = passes.lap(machine.lap), lap.arePicturesComplete
        else { return }
        outlets[id]?.isFinished = true
        outlet.sink.finish(generation: machine.generation)
    }
}
