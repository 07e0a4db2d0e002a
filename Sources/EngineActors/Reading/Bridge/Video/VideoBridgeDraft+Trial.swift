// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

extension VideoBridgeDraft {
    /// Packets that are decoded and encoded to measure the speed.
    private static let trialPackets = 8

    /// Whether the machine may be too slow for the video, so that its speed has to be measured.
    var isDemanding: Bool { target.isDemanding || isReduced || isToneMapped }

    /// How many frames per second the machine decodes and encodes, according to the CPU time that the first packets
    /// take. For a device, the elapsed time counts, because the work is not the processor's, and segments share the
    /// device.
    ///
    /// - Parameter packets: the first packets of the stream.
    /// - Returns: `nil` if the packets contain no frame.
    /// - Throws: an error of the decoder or the encoder.
    func speed(on packets: [Packet], in container: ContainerFormat) throws(FFmpegError) -> Double? {
        let plan = plan(statesTimes: false, in: container).serial
        let frame = Int64(plan.frameDuration.ticks(in: plan.timeBase))
        let tried = packets.prefix(Self.trialPackets).enumerated().map { place, packet in
            BridgePacket(packet: packet, time: Int64(place) * max(1, frame))
        }
        let usesDevice = plan.encoder.library.deviceName != nil
        // If all work is on this thread, only its CPU time counts. Otherwise the library has threads, and the work of
        // other sessions in the process counts too.
        let cpuTime = plan.encoder.isSerial ? threadNanoseconds : processNanoseconds
        let clock = usesDevice ? monotonicNanoseconds : cpuTime
        let start = clock()
        let video = try VideoBridgeJob(leadIn: [], packets: tried).run(plan) { false }
        let used = clock() - start
        // If packets hold single fields, some frames are repeats, which take less time.
        let frames = video.pictures.count - video.repeatedFrames
        let measured = BridgeSize.speed(
            frames: frames,
            nanoseconds: used,
            segments: usesDevice ? 1 : VideoBridge.limit
        )
        return measured.map { StatedSpeed.framesPerSecond($0, ofPixels: target.width * target.height) }
    }
}
