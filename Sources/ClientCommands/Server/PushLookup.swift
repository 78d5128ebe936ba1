import Grammar
import Pushpit
import WireFormats

/// Finds one push of the ledger by its id, by the first digits of its id, or as the newest.
package struct PushLookup: Sendable {
  private let api: AdminAPI

  /// Pushes on a page, and pages that are searched for the first digits of an id.
  private static let page = 100
  private static let mostPages = 10
  /// A UUID in its canonical form.
  private static let wholeID = 36

  package init(_ api: AdminAPI) { self.api = api }

  /// - Parameter id: nil for the newest push.
  package func find(_ id: String?) throws(CommandFailure) -> AdminAPI.Answer {
    guard let id else {
      guard let newest = try list(limit: 1, cursor: nil)["pushes"]?.elements?.first?["apnsId"]?.string else {
        throw CommandFailure("There is no push yet; `pushpit send --to d0` sends one.")
      }
      return try api.perform(AdminAPI.Order("v1", "pushes", newest))
    }
    guard !id.isEmpty, id.utf8.count <= Self.wholeID, id.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
      throw CommandFailure(
        "\(Wording.quoted(id)) is no id of a push: an apns-id has up to 32 hexadecimal digits, such as 2477F8A4, and"
          + " hyphens.", .invalid)
    }
    let isBeginning = id.utf8.count < Self.wholeID
    return try api.perform(AdminAPI.Order("v1", "pushes", isBeginning ? newest(beginningWith: id) : id))
  }

  private func newest(beginningWith digits: String) throws(CommandFailure) -> String {
    var cursor: String?
    for _ in 0..<Self.mostPages {
      let page = try list(limit: Self.page, cursor: cursor)
      let ids = (page["pushes"]?.elements ?? []).compactMap { $0["apnsId"]?.string }
      if let found = ids.first(where: { $0.lowercased().hasPrefix(digits.lowercased()) }) { return found }
      cursor = page["next"]?.string
      if cursor == nil { break }
    }
    throw CommandFailure(
      "None of the newest \(Self.page * Self.mostPages) pushes has an apns-id that begins with \(digits);"
        + " `pushpit push list` lists them.")
  }

  private func list(limit: Int, cursor: String?) throws(CommandFailure) -> JSONValue {
    var order = AdminAPI.Order("v1", "pushes")
    order.query = [("limit", String(limit))] + (cursor.map { [("cursor", $0)] } ?? [])
    return try api.perform(order).value
  }
}
