import CYaml
import Yams

/// Checks the events of a YAML text before anything is built from them.
///
/// Yams compares the keys of a mapping while building it. A key that is a list of aliases of lists, in ten lines of
/// text, can stand for billions of values, all of which are compared. Valid files have no such keys, so they are
/// rejected.
struct YAMLGuard {
  struct Flaw {
    /// From 1.
    let line: Int
    let column: Int
    let sentence: String
  }

  /// Maximum nesting of lists; Yams needs stack for each level.
  private static let deepest = 200

  private enum Place {
    case sequence
    case key
    case value
  }

  private var places: [Place] = []
  /// Anchors of single values; a later one with the same name replaces an earlier one.
  private var scalars: Set<String> = []

  /// The first invalid key or nesting. Nil for invalid YAML: Yams reports that error.
  static func flaw(in text: String) -> Flaw? {
    var text = text
    return text.withUTF8 { bytes in
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else { return nil }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var look = YAMLGuard()
      var isOver = false
      while !isOver {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { yaml_event_delete(&event) }
        if let sentence = look.sentence(on: event) {
          return Flaw(
            line: Int(event.start_mark.line) + 1, column: Int(event.start_mark.column) + 1, sentence: sentence)
        }
        isOver = event.type == YAML_STREAM_END_EVENT
      }
      return nil
    }
  }

  private mutating func sentence(on event: yaml_event_t) -> String? {
    switch event.type {
    case YAML_ALIAS_EVENT:
      let name = Self.text(event.data.alias.anchor)
      guard take(isWord: scalars.contains(name)) else {
        return "a key must be a word; the alias *\(name) is not a single value."
      }
    case YAML_SCALAR_EVENT:
      scalars.insert(Self.text(event.data.scalar.anchor))
      _ = take(isWord: true)
    case YAML_SEQUENCE_START_EVENT: return open(.sequence, Self.text(event.data.sequence_start.anchor))
    case YAML_MAPPING_START_EVENT: return open(.key, Self.text(event.data.mapping_start.anchor))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: _ = places.popLast()
    default: break
    }
    return nil
  }

  private mutating func open(_ place: Place, _ anchor: String) -> String? {
    scalars.remove(anchor)
    guard take(isWord: false) else { return "a key must be a word." }
    places.append(place)
    return places.count > Self.deepest ? "lists and keys are nested more than \(Self.deepest) levels deep." : nil
  }

  /// A value occurs at the current position.
  ///
  /// - Returns: whether it is allowed.
  private mutating func take(isWord: Bool) -> Bool {
    switch places.last {
    case .key:
      places[places.count - 1] = .value
      return isWord
    case .value: places[places.count - 1] = .key
    case .sequence, nil: break
    }
    return true
  }

  private static func text(_ bytes: UnsafePointer<UInt8>?) -> String { bytes.map { String(cString: $0) } ?? "" }
}

/// The limit on the number of values: with aliases of aliases, a few lines may stand for billions of values.
enum YAMLSize {
  static let mostNodes = 100_000

  /// The node at which the limit is exceeded; nil if it is not.
  static func excess(of root: Node) -> Node? {
    var waiting = [root]
    var seen = 0
    while let node = waiting.popLast() {
      seen += 1
      guard seen + waiting.count <= mostNodes else { return node }
      switch node {
      case .mapping(let mapping):
        for (key, value) in mapping { waiting += [key, value] }
      case .sequence(let sequence): waiting += sequence
      case .scalar, .alias: break
      }
    }
    return nil
  }
}
