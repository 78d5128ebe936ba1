import WireFormats

extension Scenario.Verdict {
  /// For programs.
  package var json: JSONValue {
    [
      "name": .string(name), "place": .string(place), "at": .string(time), "passed": .bool(passed),
      "wanted": .string(wanted), "found": .string(found), "nearest": JSONValue(nearest),
      "pushes": .array(pushes.map { .string($0) }),
    ]
  }
}
