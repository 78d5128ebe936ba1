import HTTP2
import Testing
import WireFormats

@Suite("SETTINGS") struct SettingsTests {
  @Test("The first frame is the one captured from Apple, byte for byte") func firstFrame() {
    #expect(
      Hex.encode(Server().output())
        == "000018040000000000" + "000100001000" + "000300000001" + "000500004000" + "000600001f40")
  }

  @Test("The first frame is the same however small the pieces it is written in") func inPieces() {
    #expect(Server().output(piece: 5) == Server().output())
  }

  @Test("Another number can be announced from the start", arguments: [0, 1, 7, 1000, 1500])
  func announced(count: Int) {
    let server = Server { $0.announcedStreams = count }
    #expect(server.frames().first?.number(at: 8) == UInt32(count))
  }

  @Test("A raised limit is sent before the answer that follows it, and alone in its frame") func raiseFirst() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.announceStreams(1000)
    server.answerAll()
    let frames = server.frames()
    #expect(frames.map(\.kind) == [.settings, .headers])
    #expect(frames.first?.payload == [0, 3, 0, 0, 0x03, 0xE8])
  }

  @Test("The client's SETTINGS are acknowledged, and its acknowledgement gets no answer") func acknowledges() {
    let server = Server()
    _ = server.output()
    server.receive(Frame.preface + Frame.settings([(4, 65_535)]).bytes)
    #expect(server.frames() == [.settingsAck])
  }
}
