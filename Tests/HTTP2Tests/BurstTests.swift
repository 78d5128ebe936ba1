import HTTP2
import Testing
import WireFormats

@Suite("More streams than announced") struct BurstTests {
  private func burst(_ count: Int, to server: Server) {
    for index in 0..<count { server.receive(.headers(Int32(2 * index + 1), .post, ends: true)) }
  }

  @Test("A client that bursts 60 requests before it has read the SETTINGS loses none") func burstOf60() {
    let server = Server()
    let client = Client()
    for number in 0..<60 { client.post("/3/device/\(number)", body: "{}") }
    server.receive(client.output())
    #expect(server.requests.count == 60)
    server.session.announceStreams(1000)
    server.answerAll()
    client.receive(server.output())
    #expect(client.answers.count == 60)
    #expect(client.answers.values.allSatisfy { $0.status == "200" && $0.code == 0 })
    server.receive(client.output())
    #expect(server.session.failure == nil)
    #expect(server.session.openStreamCount == 0)
  }

  @Test("Strict mode refuses 59 of the 60, and reports each once") func strictBurst() {
    let server = Server.greeted { $0.strictStreams = true }
    burst(60, to: server)
    #expect(server.requests.map(\.stream) == [1])
    let resets = server.frames().filter { $0.kind == .rstStream }
    #expect(resets.map(\.stream) == Array(stride(from: Int32(3), through: 119, by: 2)))
    #expect(resets.allSatisfy { $0.payload == [0, 0, 0, 7] })
    #expect(server.session.counters.refusedStreams == 59)
  }

  @Test("After the acknowledgement a second stream is refused, and the connection stays open") func afterAck() {
    let server = Server.greeted()
    server.receive(.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: false), .data(3, "{}"))
    #expect(server.requests.map(\.stream) == [1])
    #expect(server.frames() == [.reset(3, 7)])
    server.answerAll()
    #expect(server.frames().map(\.stream) == [1])
    server.receive(.headers(5, .post, ends: true))
    #expect(server.requests.map(\.stream) == [5])
    #expect(server.session.failure == nil)
  }

  @Test("A raised limit lets streams in before it is acknowledged") func raised() {
    let server = Server.greeted()
    server.receive(.settingsAck)
    server.session.announceStreams(3)
    burst(4, to: server)
    #expect(server.requests.count == 3)
    #expect(server.frames().filter { $0.kind == .rstStream } == [.reset(7, 7)])
  }

  @Test("No more streams than the cap, whatever is announced; the connection stays open") func cap() {
    let server = Server.greeted { $0.announcedStreams = 2000 }
    burst(1002, to: server)
    #expect(server.requests.count == 1000)
    #expect(server.frames().filter { $0.kind == .rstStream }.count == 2)
    server.receive(.settingsAck)
    server.answerAll()
    _ = server.output()
    server.receive(.headers(2101, .post, ends: true))
    #expect(server.requests.count == 1)
    #expect(server.session.failure == nil)
  }
}
