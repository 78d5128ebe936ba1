import Grammar
import WireFormats

/// App profiles that come with Pushpit, and the user's profile files.
package struct ShippedProfile: Sendable {
  package let name: String
  package let help: String
  package let text: String

  package static let all: [ShippedProfile] = [
    ShippedProfile(
      "sightscreen", help: "Live cricket: follows, push-to-start, update tokens, dismissals.",
      bytes: PackageResources.sightscreen_yaml),
    ShippedProfile("plain", help: "A simple push app: its device token, and taps.", bytes: PackageResources.plain_yaml),
    ShippedProfile(
      "delivery", help: "Delivery tracking with push-to-start and receipts.", bytes: PackageResources.delivery_yaml),
  ]

  private init(_ name: String, help: String, bytes: [UInt8]) {
    self.name = name
    self.help = help
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The shipped profile with the most similar name, if any.
  package static func nearest(to name: String) -> String? {
    SpellingSuggestion.nearest(to: name, among: all.map(\.name))
  }

  /// An app by the name of a shipped profile, or the path of a file.
  ///
  /// - Parameter path: that of the file with this name, if it is not the name.
  package static func load(
    _ name: String, place: String, files: SourceFiles = SourceFiles(), path: String? = nil
  ) throws(InputProblem) -> FleetApp {
    let shipped = all.first { $0.name == name }
    let path = shipped == nil ? path ?? name : name
    guard let text = files.text(of: path, shipped: shipped?.text) else {
      let near = nearest(to: name).map { " Did you mean \($0)?" } ?? ""
      throw InputProblem(
        place,
        "\(path) is neither a shipped profile (\(all.map(\.name).joined(separator: ", "))) nor a readable file."
          + near)
    }
    return try read(text, named: shipped == nil ? path : "profile \(name)")
  }

  /// Reads a profile: the keys of one app.
  package static func read(_ text: String, named name: String) throws(InputProblem) -> FleetApp {
    let (file, root) = try SettingsFile.compose(text, named: name)
    guard let root, root.pairs != nil else {
      throw InputProblem(name, "a profile must have the keys of an app, such as bundleId and reports.")
    }
    guard root["profile"] == nil else {
      throw InputProblem(root.place, "a profile cannot refer to another profile.")
    }
    let list = SourceNode.list([root], at: root.place)
    guard let app = try AppSettings(file: file).read(list).first else {
      throw InputProblem(name, "a profile must have the keys of an app.")
    }
    return app
  }
}
