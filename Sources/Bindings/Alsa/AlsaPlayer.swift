// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Feeds queued samples to a device, carries out orders, and records the device's progress. Runs on the device's
/// thread.
struct AlsaPlayer: ~Copyable {
    private var device: AlsaDevice
    private let transit: Locked<AlsaTransit>
    /// The last flush that the device has carried out.
    private var epoch: UInt64 = 0
    /// Samples written to the device since it was last prepared.
    private var written: Int64 = 0
    /// The block being written, in the device's channel order.
    private var arranged: (place: Int64, block: SampleBlock)?
    /// The time that the thread may sleep before the next turn unless there are new orders, in nanoseconds.
    private(set) var pause: Int64 = 0

    init(_ device: consuming AlsaDevice, _ transit: Locked<AlsaTransit>) {
        self.device = device
        self.transit = transit
    }

    /// Carries out new orders, writes samples and records the device's progress. Call it again after at most `pause`.
    ///
    /// - Returns: `false` once the stream is closed.
    /// - Throws: the error of a device that can no longer be used.
    mutating func turn(_ onChange: () -> Void) throws(AlsaError) -> Bool {
        let orders = transit.withLock { $0.orders }
        guard !orders.isClosed else { return false }
        if orders.epoch != epoch {
            try flush(orders)
            onChange()
        }
        try setUp(orders)
        if device.setup != nil { try play(orders) }
        let (isMoving, hasRoom) = updateQueue()
        if isMoving && hasRoom { onChange() }
        pause = isMoving ? 15_000_000 : 500_000_000
        return true
    }

    private mutating func flush(_ orders: AlsaTransit.Orders) throws(AlsaError) {
        if device.setup != nil { try device.drop() }
        written = 0
        arranged = nil
        epoch = orders.epoch
        transit.withLock { [epoch] in $0.flushed = epoch }
    }

    /// Sets up the device if it has no setup yet, or a mode or rate other than those ordered.
    private mutating func setUp(_ orders: AlsaTransit.Orders) throws(AlsaError) {
        guard let mode = orders.mode, device.setup?.request != AlsaSetup.Request(mode: mode, rate: orders.rate) else {
            return
        }
        try device.setUp(mode, rate: orders.rate)
        written = 0
    }

    private mutating func play(_ orders: AlsaTransit.Orders) throws(AlsaError) {
        var condition = try observe(orders)
        switch condition {
        case .playing where !orders.wantsToPlay:
            condition = try pauseDevice()
        case .paused where orders.wantsToPlay:
            condition = try resumeDevice()
        default: break
        }
        // A device that must not play gets no samples: the PulseAudio plugin starts by itself once it is nearly full.
        guard condition != .suspended, orders.wantsToPlay else { return }
        try feed()
        guard condition == .ready, written > 0 else { return }
        // Start at half of the device's capacity, so that it does not underrun at once.
        guard orders.isEnding || written >= Int64(device.setup?.capacity ?? 0) / 2 else { return }
        try device.start()
        let now = monotonicNanoseconds()
        note { $0.clock.begin(at: now) }
    }

    /// Records the device's progress and recovers it from underruns and suspends.
    private mutating func observe(_ orders: AlsaTransit.Orders) throws(AlsaError) -> AlsaDevice.Condition {
        let status = try device.status()
        switch status.condition {
        case .playing:
            note { [written] in $0.observe(status, written) }
        case .ready:
            note { [written] in $0.observeIdle(at: status.moment, written) }
        case .paused: break
        case .dry:
            try device.prepare()
            written = 0
            note { transit in
                if transit.clock.isMoving, !orders.isEnding { transit.underruns += 1 }
                transit.observeIdle(at: status.moment, 0)
            }
            return .ready
        case .suspended: return try wakeUp(status)
        }
        return status.condition
    }

    /// Resumes the device after the machine was suspended. If the device has lost its samples, they are queued again.
    private mutating func wakeUp(_ status: AlsaDevice.Status) throws(AlsaError) -> AlsaDevice.Condition {
        note { [written] transit in
            transit.observe(status, written)
            transit.clock.stop(at: status.moment)
        }
        guard let isAwake = device.resume() else { return .suspended }
        // Plugins report success even if they did not resume.
        guard isAwake, try device.status().condition == .playing else {
            try device.prepare()
            takeBack()
            return .ready
        }
        let now = monotonicNanoseconds()
        note { $0.clock.begin(at: now) }
        return .playing
    }

    /// Pauses the device. If it cannot pause, its unheard samples are dropped and queued again.
    private mutating func pauseDevice() throws(AlsaError) -> AlsaDevice.Condition {
        let isPaused = device.setup?.canPause == true && device.pause(true)
        let status = try device.status()
        note { [written] in $0.observe(status, written) }
        let now = monotonicNanoseconds()
        note { $0.clock.stop(at: now) }
        if isPaused { return .paused }
        try device.drop()
        takeBack()
        return .ready
    }

    private mutating func resumeDevice() throws(AlsaError) -> AlsaDevice.Condition {
        guard device.pause(false) else {
            try device.drop()
            takeBack()
            return .ready
        }
        let now = monotonicNanoseconds()
        note { $0.clock.begin(at: now) }
        return .playing
    }

    /// Queues the unheard samples again, because the device has lost them.
    private mutating func takeBack() {
        written = 0
        arranged = nil
        let now = monotonicNanoseconds()
        note { transit in
            transit.clock.stop(at: now)
            transit.queue.takeBack(from: transit.clock.heard(at: now))
        }
    }

    /// Writes as many queued samples as the device has room for.
    private mutating func feed() throws(AlsaError) {
        while let setup = device.setup, let next = transit.withLock({ [epoch] in $0.next(epoch) }) {
            let block = arrange(next.block, next.place, setup)
            guard let count = try device.write(block, from: next.first, stride: setup.format.stride), count > 0 else {
                return
            }
            written += Int64(count)
            note { $0.queue.take(count) }
        }
        arranged = nil
    }

    private mutating func arrange(_ block: SampleBlock, _ place: Int64, _ setup: AlsaSetup) -> SampleBlock {
        guard let order = setup.channels.order else { return block }
        if let arranged, arranged.place == place { return arranged.block }
        let ordered = block.ordered(order, setup.format)
        arranged = (place, ordered)
        return ordered
    }

    /// Drops the samples that have been heard.
    ///
    /// - Returns: whether the clock is running, and whether there is room for more samples.
    private func updateQueue() -> (isMoving: Bool, hasRoom: Bool) {
        let now = monotonicNanoseconds()
        let capacity = device.setup?.capacity
        return transit.withLock { transit in
            if let capacity { transit.capacity = capacity }
            transit.queue.forget(before: transit.clock.heard(at: now))
            return (transit.clock.isMoving, transit.unheard(at: now) < transit.capacity)
        }
    }

    /// Updates the shared state, unless a flush was ordered in the meantime.
    private func note(_ body: (inout AlsaTransit) -> Void) {
        transit.withLock { [epoch] transit in
            if transit.orders.epoch == epoch { body(&transit) }
        }
    }
}

extension AlsaTransit {
    /// The next samples to write to the device; `nil` if nothing is queued or a flush was ordered in the meantime.
    fileprivate func next(_ epoch: UInt64) -> (block: SampleBlock, first: Int, place: Int64)? {
        orders.epoch == epoch ? queue.next : nil
    }

    /// Records the position of a device that is playing.
    fileprivate mutating func observe(_ status: AlsaDevice.Status, _ written: Int64) {
        clock.observe(queue.taken - min(max(0, status.delay), written), of: queue.taken, at: status.moment)
    }

    /// Records that the device is not playing and holds only the last `written` samples, which it has not started to
    /// play. The clock stops once everything before them was heard.
    fileprivate mutating func observeIdle(at now: Int64, _ written: Int64) {
        guard clock.isMoving else { return }
        let place = queue.taken - written
        clock.observe(place, of: place, at: now)
        if clock.heard(at: now) >= place { clock.stop(at: now) }
    }
}
