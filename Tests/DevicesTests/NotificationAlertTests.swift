import Devices
import Testing
import WireFormats

@Suite("Alerts of notifications and Live Activities")
struct NotificationAlertTests {
  private func read(
    _ text: String, _ kind: AlertContent.Kind
  ) throws -> (alert: AlertContent?, remarks: [PayloadRemark]) {
    var remarks = PayloadRemarks()
    let alert = try JSONNode.read(Array(text.utf8)) { AlertContent($0, of: kind, noting: &remarks) }
    return (alert, remarks.list)
  }

  private func render(_ text: String, _ kind: AlertContent.Kind, _ language: String = "en") throws -> RenderedAlert? {
    try read(text, kind).alert?.rendered(NotificationPhone.strings, in: language)
  }

  @Test("a string is the body of a notification")
  func string() throws {
    #expect(try render(#""Wicket""#, .notification) == RenderedAlert(body: "Wicket"))
    #expect(try read(#""Wicket""#, .notification).remarks.isEmpty)
  }

  @Test("S76: a string is not a valid alert of a Live Activity")
  func activityString() throws {
    let (alert, remarks) = try read(#""Wicket""#, .liveActivity)
    #expect(alert == nil && remarks == [.alertType])
  }

  @Test(
    "Title, subtitle and body are read alike in notifications and Live Activities",
    arguments: [AlertContent.Kind.notification, .liveActivity])
  func texts(kind: AlertContent.Kind) throws {
    let alert = try render(#"{"title":"a","subtitle":"b","body":"c"}"#, kind)
    #expect(alert == RenderedAlert(title: "a", subtitle: "b", body: "c"))
  }

  @Test("S121: a notification has its keys beside the texts, each line its own")
  func notificationKeys() throws {
    let text = #"""
      {"title-loc-key":"TITLE","title-loc-args":["IND","ENG"],"subtitle-loc-key":"%@!","subtitle-loc-args":["Day 2"],
       "loc-key":"WICKET","loc-args":["Root","99"]}
      """#
    let english = RenderedAlert(title: "ENG v IND", subtitle: "Day 2!", body: "Wicket! Root out for 99")
    #expect(try render(text, .notification) == english)
    #expect(try render(text, .notification, "de")?.body == "Aus! 99 für Root")
    #expect(try read(text, .notification).remarks.isEmpty)
    #expect(try render(text, .liveActivity) == RenderedAlert())
  }

  @Test("S121: a Live Activity has its keys in place of the texts")
  func activityKeys() throws {
    let text = #"""
      {"title":{"loc-key":"TITLE","loc-args":["IND","ENG"]},"body":{"loc-key":"WICKET","loc-args":["Root","99"]}}
      """#
    let english = RenderedAlert(title: "ENG v IND", body: "Wicket! Root out for 99")
    #expect(try render(text, .liveActivity) == english)
    #expect(try read(text, .liveActivity).remarks.isEmpty)
    #expect(try render(text, .notification) == RenderedAlert())
    #expect(try read(text, .notification).remarks == [.alertTextType])
  }

  @Test("where a notification has text and key for a line, the text is shown, even if empty")
  func overruled() throws {
    let text = #"{"body":"","loc-key":"WICKET","title":"a","title-loc-key":"TITLE"}"#
    #expect(try render(text, .notification) == RenderedAlert(title: "a"))
    #expect(try read(text, .notification).remarks == [.keyOverruled])
  }

  @Test("S120: a Live Activity's alert contains its sound, a notification's does not")
  func sound() throws {
    let text = #"{"title":"a","sound":"cheer.caf"}"#
    #expect(try read(text, .liveActivity).alert?.sound == NotificationSound("cheer.caf"))
    #expect(try read(text, .notification).alert?.sound == nil)
  }

  @Test(
    "an invalid alert is ignored, with a remark", arguments: ["1", "true", "[]", #"["a"]"#, "1.5"],
    [AlertContent.Kind.notification, .liveActivity])
  func wrongType(text: String, kind: AlertContent.Kind) throws {
    let (alert, remarks) = try read(text, kind)
    #expect(alert == nil && remarks == [.alertType])
  }

  @Test("null means no alert, without a remark")
  func null() throws {
    let (alert, remarks) = try read("null", .notification)
    #expect(alert == nil && remarks.isEmpty)
  }

  @Test(
    "a line of the wrong type is left out and the others are shown",
    arguments: ["1", "true", "[]", "[[[{}]]]", "-0.5", #"{"loc-key":1}"#])
  func wrongLine(value: String) throws {
    for kind in [AlertContent.Kind.notification, .liveActivity] {
      let text = #"{"title":\#(value),"body":"c"}"#
      #expect(try render(text, kind) == RenderedAlert(body: "c"))
      #expect(try read(text, kind).remarks.count == 1)
    }
  }

  @Test(
    "arguments that are not strings keep their places and show nothing, null <null>",
    arguments: [
      (#"["Root",99]"#, "Wicket! Root out for "), (#"[null,"99"]"#, "Wicket! <null> out for 99"),
      (#"[[["deep"]],{"a":["b"]}]"#, "Wicket!  out for "), (#""Root""#, "Wicket!  out for "),
      (#"{"0":"Root"}"#, "Wicket!  out for "), ("7", "Wicket!  out for "),
    ])
  func arguments(arguments: String, result: String) throws {
    let notification = #"{"loc-key":"WICKET","loc-args":\#(arguments)}"#
    #expect(try render(notification, .notification)?.body == result)
    #expect(try read(notification, .notification).remarks == [.argumentsType])
    let activity = #"{"body":{"loc-key":"WICKET","loc-args":\#(arguments)}}"#
    #expect(try render(activity, .liveActivity)?.body == result)
    #expect(try read(activity, .liveActivity).remarks == [.argumentsType])
  }

  @Test("two thousand arguments and arguments nested 500 deep do no harm")
  func heavy() throws {
    let many = "[" + Array(repeating: "1", count: 2000).joined(separator: ",") + "]"
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    for arguments in [many, deep] {
      let text = #"{"loc-key":"WICKET","loc-args":\#(arguments)}"#
      #expect(try render(text, .notification)?.body == "Wicket!  out for ")
    }
  }

  @Test("an empty dictionary is an alert without text")
  func empty() throws {
    #expect(try read("{}", .notification).alert == AlertContent())
    #expect(try render("{}", .notification)?.isEmpty == true)
    #expect(try render(#"{"body":{}}"#, .liveActivity)?.isEmpty == true)
    #expect(try read(#"{"body":{}}"#, .liveActivity).remarks == [.keyType])
  }
}
