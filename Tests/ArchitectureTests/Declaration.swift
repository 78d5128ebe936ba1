/// A function, an initializer or a subscript of a source, as far as its text tells.
struct Declaration: Equatable {
  /// The declared name, or `init` or `subscript`.
  let name: String
  /// The line where it begins, from 1.
  let line: Int
  let parameters: Int
  /// From the line where it begins to the one where its body ends.
  let lines: Int
}

extension SourceFile {
  /// The declarations of the file in the order of their lines. Relies on the form that swift-format gives them: one
  /// begins a line, and its body ends at a brace as deep as it.
  var declarations: [Declaration] {
    code.indices.compactMap { number in
      guard let name = Self.declaredName(code[number]) else { return nil }
      var parameters = ParameterCount()
      for (distance, line) in code[number...].enumerated() {
        guard parameters.readEnd(of: line) else { continue }
        return Declaration(
          name: name, line: number + 1, parameters: parameters.count,
          lines: length(from: number, headTo: number + distance))
      }
      return nil
    }
  }

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "static", "class", "final", "override", "mutating",
    "nonmutating", "borrowing", "consuming", "convenience", "required", "indirect", "nonisolated", "isolated",
  ]

  /// The name that a line declares; nil if the line does not begin a declaration with parameters.
  private static func declaredName(_ line: String) -> String? {
    let words = line.split(separator: " ").drop { modifiers.contains($0) || $0.hasPrefix("@") }
    guard let first = words.first else { return nil }
    if first == "func" {
      return words.dropFirst().first.map { name in
        String(name.prefix { $0 != "(" && ($0 != "<" || name.first?.isLetter == false) })
      }
    }
    return ["init", "subscript"].first { name in
      first.hasPrefix(name) && first.dropFirst(name.count).first.map { "(<?!".contains($0) } ?? true
    }
  }

  private func length(from begin: Int, headTo end: Int) -> Int {
    let depth = lines[begin].prefix { $0 == " " }
    // What a head's last line says after the parameters may go on: a return type, a `where`.
    guard let opened = code[end...].firstIndex(where: { $0.hasSuffix("{") || $0.hasSuffix("}") || $0.isEmpty }),
      code[opened].hasSuffix("{"),
      let closed = lines[opened...].firstIndex(where: { $0 == depth + "}" })
    else { return end - begin + 1 }
    return closed - begin + 1
  }
}

/// Counts the parameters of a declaration: each has one colon that is in no inner bracket.
private struct ParameterCount {
  private(set) var count = 0
  private var depth = 0
  private var generics = 0
  private var isInString = false
  private var last: Character = " "

  /// Reads a line, and returns true if it contains the bracket that ends the parameters.
  mutating func readEnd(of line: String) -> Bool {
    for character in line {
      defer { last = character }
      if character == "\"", last != "\\" { isInString.toggle() }
      if isInString { continue }
      switch character {
      // Before the parameters: `init<Value: Sendable>(`.
      case "<": generics += 1
      case ">" where last != "-" && generics > 0: generics -= 1
      case "(", "[", "{":
        // An operator such as `<` is no bracket.
        if depth == 0 { generics = 0 }
        depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth == 0 { return true }
      case ":" where depth == 1 && generics == 0: count += 1
      default: break
      }
    }
    isInString = false
    return false
  }
}
