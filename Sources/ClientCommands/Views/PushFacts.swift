import WireFormats

/// The facts that people look for in a push of the ledger.
struct PushFacts {
  let push: JSONValue

  func text(_ key: String) -> String? { push[key]?.string }

  /// A header of the request.
  func header(_ name: String) -> String? {
    push["request"]?["headers"]?.elements?.first { $0["name"]?.string == name }?["value"]?.string
  }

  /// Nil if the body is not JSON.
  var payload: JSONValue? {
    guard push["request"]?["bodyEncoding"]?.string == "utf8", let body = push["request"]?["body"]?.string else {
      return nil
    }
    return try? JSONValue.parse(Array(body.utf8))
  }

  /// Push type and event, such as `liveactivity update`.
  var kind: String {
    let event = header("apns-push-type") == "liveactivity" ? payload?["aps"]?["event"]?.string : nil
    return [header("apns-push-type") ?? "no push type", event].compactMap(\.self).joined(separator: " ")
  }

  /// Status and reason.
  var answer: String {
    [push["answer"]?["status"]?.text, text("reason")].compactMap(\.self).joined(separator: " ")
  }

  /// The client's side, if it differs from the answer.
  var sent: String? {
    guard let sent = push["sent"], sent["as"]?.string != "answer" else { return nil }
    let details = [sent["status"]?.text, sent["code"]?.string, sent["why"]?.string].compactMap(\.self)
    return ([sent["as"]?.string ?? ""] + details).joined(separator: ", ")
  }

  /// The phone's reaction or, without one, the last fate.
  var outcome: String {
    let reaction = push["reaction"]
    guard let outcome = reaction?["outcome"]?.string else {
      return text("fate").map { String($0.split(separator: ", ").last ?? "") } ?? ""
    }
    return outcome + (reaction?["cause"]?.string.map { " (\($0))" } ?? "")
  }

  /// The first words that a person would read.
  var heading: String {
    let alert = payload?["aps"]?["alert"]
    let texts = [alert, alert?["title"], alert?["body"], alert?["title-loc-key"], alert?["loc-key"]]
    return texts.lazy.compactMap { $0?.string }.first ?? ""
  }
}
