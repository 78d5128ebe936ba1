import WireFormats

/// Pages of lists of the admin API as rows of a table, each with a heading; empty for an empty page.
package enum ListRows {
  /// A page of `GET /v1/devices`.
  package static func devices(_ page: JSONValue) -> [[String]] {
    rows(page["devices"], heading: ["device", "iOS", "state", "apps"]) { device in
      let apps = (device["apps"]?.elements ?? []).map { app in
        let state = app["installed"] == .bool(true) ? text(app, "notifications") : "deleted"
        let running = (app["activities"]?.elements ?? []).count { ["active", "stale"].contains($0["state"]?.string) }
        return "\(text(app, "bundleId")) (\(state)"
          + (running == 0 ? "" : ", \(running) \(running == 1 ? "activity" : "activities")") + ")"
      }
      return [text(device, "id"), text(device, "os"), state(of: device), apps.joined(separator: ", ")]
    }
  }

  /// A page of `GET /v1/tokens`.
  package static func tokens(_ page: JSONValue) -> [[String]] {
    rows(page["tokens"], heading: ["device", "kind", "app", "environment", "token"]) { token in
      let details = [token["attributesType"]?.string, token["activity"]?.string].compactMap(\.self)
      let kind = ([text(token, "kind")] + details).joined(separator: " ")
      return [
        text(token, "device"), token["live"] == .bool(false) ? kind + " (dead)" : kind, text(token, "app"),
        text(token, "environment"), text(token, "token"),
      ]
    }
  }

  /// A page of `GET /v1/sessions`.
  package static func sessions(_ page: JSONValue) -> [[String]] {
    rows(
      page["sessions"],
      heading: ["session", "state", "opened", "pushes", "calls", "findings", "faults", "expectations"]
    ) {
      session in
      func count(_ key: String) -> String { session["counts"]?[key]?.text ?? "-" }
      let wanted = session["expectations"]?.elements ?? []
      let failed = wanted.count { $0["passed"] == .bool(false) }
      let verdict = session["passed"] == .bool(true) ? "passed" : failed > 0 ? "\(failed) failed" : "-"
      return [
        text(session, "name"), session["open"] == .bool(true) ? "open" : "closed", time(session, "openedAt"),
        count("pushes"), count("calls"), count("findings"), text(session, "faults"), verdict,
      ]
    }
  }

  /// A page of `GET /v1/calls`.
  package static func calls(_ page: JSONValue) -> [[String]] {
    rows(page["calls"], heading: ["time", "device", "app", "event", "call", "result"]) { call in
      [
        time(call, "at"), text(call, "device"), text(call, "app"), text(call, "event"),
        "\(text(call, "method")) \(text(call, "url"))", text(call, "sentence"),
      ]
    }
  }

  /// A page of `GET /v1/findings`.
  package static func findings(_ page: JSONValue) -> [[String]] {
    rows(page["findings"], heading: ["time", "kind", "device", "push", "finding"]) { finding in
      [
        time(finding, "at"), text(finding, "kind"), text(finding, "device"),
        String(text(finding, "apnsId").prefix(PushListLines.shortID)), text(finding, "sentence"),
      ]
    }
  }

  private static func rows(_ list: JSONValue?, heading: [String], _ row: (JSONValue) -> [String]) -> [[String]] {
    let rows = (list?.elements ?? []).map(row)
    return rows.isEmpty ? [] : [heading] + rows
  }

  private static func text(_ value: JSONValue, _ key: String) -> String {
    value[key].flatMap { $0 == .null ? nil : $0.string ?? $0.text } ?? "-"
  }

  /// The time of day, with milliseconds.
  private static func time(_ value: JSONValue, _ key: String) -> String {
    String((value[key]?.string ?? "").dropFirst(11).prefix(12))
  }

  /// The conditions that most often keep a phone from showing anything: offline, Focus, Low Power, locked.
  private static func state(of device: JSONValue) -> String {
    let conditions = [("focus", "Focus"), ("lowPower", "Low Power"), ("locked", "locked")].compactMap { key, word in
      device[key] == .bool(true) ? word : nil
    }
    return ([device["online"] == .bool(true) ? "online" : "offline"] + conditions).joined(separator: ", ")
  }
}
