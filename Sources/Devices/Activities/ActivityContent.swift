import WireFormats

/// The attributes or content state of an activity, in their original form; they are parsed only when somebody asks.
package enum ActivityContent: Hashable, Sendable {
  case none
  case push(HTTPRequest)
  indirect case local(JSONValue)

  /// For a push, only the payload is compared.
  package static func == (left: ActivityContent, right: ActivityContent) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.push(let left), .push(let right)): left.body == right.body
    case (.local(let left), .local(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .none: break
    case .push(let request): hasher.combine(request.bodyCount)
    case .local(let value): hasher.combine(value)
    }
  }

  /// The member of `aps`, or the value that the app passed.
  package func value(_ key: StaticString) -> JSONValue? {
    switch self {
    case .none: return nil
    case .local(let value): return value
    case .push(let request):
      let storage = request.storage
      let read = try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count) { $0["aps"]?[key]?.whole }
      return read ?? nil
    }
  }
}
