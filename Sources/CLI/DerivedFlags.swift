import ArgumentParser
import ClientCommands

/// A flag made from the description of a setting or of a key of a request.
struct DerivedFlag {
  /// The key that it sets.
  let key: String
  /// The name without its dashes.
  let name: String
  let help: ArgumentHelp
  /// The value that the flag itself stands for; nil for a flag that takes a value.
  let constant: String?
  let completion: CompletionKind
  /// True if the value may begin with a dash.
  let takesDash: Bool

  init(
    _ name: String, for key: String, help: ArgumentHelp, constant: String? = nil, completion: CompletionKind = .default,
    takesDash: Bool = false
  ) {
    self.name = name
    self.key = key
    self.help = help
    self.constant = constant
    self.completion = completion
    self.takesDash = takesDash
  }

  init(_ flag: RequestFlag) {
    let words = flag.words.filter { !$0.contains(" ") }
    let completion: CompletionKind =
      switch flag.name {
      case "device": .devices
      case "fault": .faults
      default: words.isEmpty ? .default : .list(words)
      }
    self.init(
      flag.name, for: flag.key, help: ArgumentHelp("\(flag.help)", valueName: flag.valueName), constant: flag.constant,
      completion: completion)
  }
}

/// A command or a table that has flags made from descriptions.
protocol FlagSource {
  static var flags: [DerivedFlag] { get }
}

/// The flags of a source.
///
/// ArgumentParser finds the options of a type in its mirror, and the type decodes them by their labels in the mirror.
/// Here both follow the source, so that no flag is described twice.
struct DerivedFlags<Source: FlagSource>: ParsableArguments, CustomReflectable {
  /// The given values with their keys, in the order of the flags.
  private(set) var given: [(key: String, value: String)] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Label.self)
    for flag in Source.flags {
      let label = Label(stringValue: flag.name)
      if let constant = flag.constant {
        if try container.decode(Flag<Bool>.self, forKey: label).wrappedValue { given.append((flag.key, constant)) }
      } else if let value = try container.decode(Option<String?>.self, forKey: label).wrappedValue {
        given.append((flag.key, value))
      }
    }
  }

  func validate() throws {
    for (place, flag) in given.enumerated() where given[..<place].contains(where: { $0.key == flag.key }) {
      let names = Source.flags.filter { $0.key == flag.key }.map { "--\($0.name)" }
      throw ValidationError("\(names.joined(separator: " and ")) cannot be combined.")
    }
  }

  var customMirror: Mirror {
    let options = Source.flags.map { flag -> (label: String?, value: Any) in
      let name = NameSpecification.customLong(flag.name)
      return flag.constant != nil
        ? (flag.name, Flag<Bool>(wrappedValue: false, name: name, help: flag.help))
        : (
          flag.name,
          Option<String?>(
            name: name, parsing: flag.takesDash ? .unconditional : .next, help: flag.help, completion: flag.completion)
        )
    }
    return Mirror(self, children: options)
  }

  /// The name of a flag.
  private struct Label: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
