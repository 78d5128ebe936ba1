import APNs
import Testing
import Timeline
import WireFormats

@Suite("An answer")
struct PushAnswerTests {
  let id = NotificationID(bits: (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
  let uniqueID = NotificationID(bits: (1, 2))

  @Test("S18: 200 has an id and no body")
  func accepted() {
    let response = PushAnswer(id: id, uniqueID: nil, rejection: nil).response
    #expect(response.status == 200)
    #expect(response.fields.list.map(\.name) == ["apns-id"])
    #expect(response.fields["apns-id"] == "01234567-89AB-CDEF-FEDC-BA9876543210")
    #expect(response.body.isEmpty)
  }

  @Test("an answer of the sandbox also has a unique id")
  func uniqueID200() {
    let response = PushAnswer(id: id, uniqueID: uniqueID, rejection: nil).response
    #expect(response.fields.list.map(\.name) == ["apns-id", "apns-unique-id"])
    #expect(response.fields["apns-unique-id"] == "00000000-0000-0001-0000-000000000002")
    #expect(response.body.isEmpty)
  }

  @Test("ids that are drawn when they are read are always the same, and differ from those of another request")
  func drawn() {
    func answer(_ stream: Int32, given: NotificationID? = nil, in environment: Environment = .sandbox) -> PushAnswer {
      let drawn = PushAnswer.DrawnIDs(Chance(seed: 1), connection: 7, stream: stream)
      return PushAnswer(drawn, given: given, in: environment, rejection: nil)
    }
    let (first, unique) = (answer(1).id, answer(1).uniqueID)
    #expect(answer(1).response.fields["apns-id"] == first.text)
    #expect(answer(1).response.fields["apns-unique-id"] == unique?.text && unique != first)
    #expect(answer(3).id != first && answer(3).uniqueID != unique)
    #expect(answer(1, given: id).id == id && answer(1, given: id).uniqueID == unique)
    #expect(answer(1, in: .production).uniqueID == nil && answer(1, in: .production).id == first)
    #expect(answer(1) == PushAnswer(id: first, uniqueID: unique, rejection: nil) && answer(1) != answer(3))
  }

  @Test("S17: an error has an id and compact JSON with the reason")
  func refused() {
    let response = PushAnswer(id: id, uniqueID: nil, rejection: Rejection(.badTopic, by: .topicWellFormed)).response
    #expect(response.status == 400)
    #expect(response.fields.list.map(\.name) == ["apns-id", "content-type"])
    #expect(response.fields["apns-id"] == "01234567-89AB-CDEF-FEDC-BA9876543210")
    #expect(response.fields["content-type"] == "application/json")
    #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"BadTopic"}"#)
  }

  @Test("S22: a 410 has the time of the token's death, in milliseconds")
  func gone() {
    let rejection = Rejection(
      .unregistered, by: .deviceTokenRegistered, since: Instant(nanoseconds: 1_735_689_600_123_999_999))
    let response = PushAnswer(id: id, uniqueID: nil, rejection: rejection).response
    #expect(response.status == 410)
    #expect(
      String(decoding: response.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1735689600123}"#)
  }

  @Test("the fields of an answer packed together equal those packed one by one")
  func packedAlike() {
    for unique in [nil, uniqueID] {
      for rejection in [nil, Rejection(.badTopic, by: nil)] {
        let fields = PushAnswer(id: id, uniqueID: unique, rejection: rejection).response.fields
        #expect(fields.packed == type(of: fields).init(fields.list).packed)
      }
    }
  }
}
