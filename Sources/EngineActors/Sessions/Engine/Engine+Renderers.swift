// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Front-ends that play a session's HLS.
extension Engine {
    package func attach(_ offer: RendererOffer, to inbox: any CommandReceiver) async throws(EngineError) -> RendererID {
        let (session, state) = try find(offer.session)
        let number = sessions.nextRenderer()
        try await session.attach(offer, as: number, to: inbox)
        return RendererID(session: state.id, number: number)
    }

    package func report(_ report: RendererReport, by renderer: RendererID) async {
        await sessions[renderer.session]?.take(report, from: renderer.number)
    }

    package func detach(_ renderer: RendererID) async {
        await sessions[renderer.session]?.detach(renderer.number, because: "it disconnected")
    }
}
