import Devices
import Testing
import WireFormats

@Suite("Sounds of notifications")
struct NotificationSoundTests {
  private func read(_ text: String) throws -> (sound: NotificationSound?, remarks: [PayloadRemark]) {
    var remarks = PayloadRemarks()
    let sound = try JSONNode.read(Array(text.utf8)) { NotificationSound($0, noting: &remarks) }
    return (sound, remarks.list)
  }

  @Test(
    "a name, or a dictionary",
    arguments: [
      (#""default""#, NotificationSound()), (#""cheer.caf""#, NotificationSound("cheer.caf")),
      ("{}", NotificationSound()), (#"{"name":"cheer.caf"}"#, NotificationSound("cheer.caf")),
      (#"{"critical":1,"volume":0.25}"#, NotificationSound(isCritical: true, volume: 0.25)),
      (#"{"critical":0,"volume":1}"#, NotificationSound()), (#"{"critical":1.0}"#, NotificationSound(isCritical: true)),
      (#"{"name":null,"critical":null,"volume":null}"#, NotificationSound()),
    ])
  func reads(text: String, sound: NotificationSound) throws {
    let read = try read(text)
    #expect(read.sound == sound && read.remarks.isEmpty)
  }

  @Test("an empty name means silence, and null means no sound", arguments: [#""""#, #"{"name":""}"#, "null"])
  func silence(text: String) throws {
    let read = try read(text)
    #expect(read.sound == nil && read.remarks.isEmpty)
  }

  @Test("an invalid sound is ignored", arguments: ["1", "true", "[]", #"["default"]"#])
  func wrongType(text: String) throws {
    let read = try read(text)
    #expect(read.sound == nil && read.remarks == [.soundType])
  }

  @Test(
    "an invalid member does not affect the others",
    arguments: [
      (#"{"name":1,"volume":0.5}"#, NotificationSound(volume: 0.5), PayloadRemark.soundNameType),
      (#"{"name":"a","critical":true}"#, NotificationSound("a", isCritical: true), .flagBoolean),
      (#"{"name":"a","critical":2}"#, NotificationSound("a"), .soundCriticalValue),
      (#"{"name":"a","critical":"1"}"#, NotificationSound("a"), .soundCriticalValue),
      (#"{"name":"a","volume":1.5}"#, NotificationSound("a"), .soundVolumeValue),
      (#"{"name":"a","volume":-1}"#, NotificationSound("a"), .soundVolumeValue),
      (#"{"name":"a","volume":"1"}"#, NotificationSound("a"), .soundVolumeValue),
    ])
  func wrongMember(text: String, sound: NotificationSound, remark: PayloadRemark) throws {
    let read = try read(text)
    #expect(read.sound == sound && read.remarks == [remark])
  }

  @Test("S120: a file that the app does not have plays the default sound")
  func unknownFile() {
    let files = ["cheer.caf"]
    #expect(NotificationSound("cheer.caf").played(from: files, allowsCritical: false).name == "cheer.caf")
    #expect(NotificationSound("boo.caf").played(from: files, allowsCritical: false).name == "default")
    #expect(NotificationSound("Cheer.caf").played(from: files, allowsCritical: false).name == "default")
    #expect(NotificationSound().played(from: [], allowsCritical: false) == NotificationSound())
  }

  @Test("a critical sound without permission is an ordinary one, at ordinary volume")
  func critical() {
    let sound = NotificationSound(isCritical: true, volume: 0.2)
    #expect(sound.played(from: [], allowsCritical: false) == NotificationSound())
    #expect(sound.played(from: [], allowsCritical: true) == sound)
  }
}
