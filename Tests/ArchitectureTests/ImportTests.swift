import Foundation
import Testing

@Suite("Imports")
struct ImportTests {
  /// The imports of this package that docs/architecture.md permits for each target.
  static let arrows: [(target: String, mayImport: Set<String>)] = [
    ("Timeline", []),
    ("WireFormats", ["CSimdjson"]),
    ("Grammar", ["Timeline", "WireFormats"]),
    ("APNs", ["Timeline", "WireFormats"]),
    ("Devices", ["APNs", "Timeline", "WireFormats"]),
    ("Reporting", ["Devices", "APNs", "Timeline", "WireFormats"]),
    ("Simulation", ["Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"]),
    ("Orders", ["Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"]),
    ("Scenarios", ["Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"]),
    (
      "Hunting",
      ["Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Timeline", "WireFormats"]
    ),
    ("HTTP2", ["CNghttp2", "WireFormats"]),
    ("Signing", ["COpenSSL", "WireFormats"]),
    (
      "Admin",
      [
        "CAdminFiles", "Hunting", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar",
        "Timeline", "WireFormats",
      ]
    ),
    ("Transport", ["HTTP2", "CLibevent", "COpenSSL", "CCurl", "Timeline", "WireFormats"]),
    ("Configuration", ["Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"]),
    (
      "ScenarioFiles",
      [
        "Configuration", "Hunting", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar",
        "Timeline",
        "WireFormats",
      ]
    ),
    (
      "Pushpit",
      [
        "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "HTTP2", "Scenarios", "Orders", "Simulation",
        "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
      ]
    ),
    ("PushpitTesting", ["Pushpit", "Configuration", "Transport", "Grammar", "WireFormats"]),
    (
      "ClientCommands",
      [
        "Pushpit", "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "Scenarios", "Orders",
        "Simulation", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
      ]
    ),
    (
      "RunCommands",
      [
        "ClientCommands", "Pushpit", "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "Hunting",
        "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
        "CSQLite",
      ]
    ),
    ("CLI", ["RunCommands", "ClientCommands", "Pushpit", "ScenarioFiles", "Configuration", "Grammar"]),
  ]

  static let ours = Set(arrows.map(\.target)).union([
    "CNghttp2", "COpenSSL", "CLibevent", "CCurl", "CSQLite", "CSimdjson", "CAdminFiles",
  ])

  /// No clock, no chance without a seed, no file, no socket: the standard library and each other.
  static let pure: Set<String> = [
    "Timeline", "WireFormats", "Grammar", "APNs", "Devices", "Reporting", "Simulation", "Orders", "Scenarios",
    "Hunting",
  ]

  @Test("imports point only along the arrows of the architecture", arguments: arrows)
  func alongTheArrows(target: String, mayImport: Set<String>) {
    for file in SourceFile.all where file.target == target {
      let wrong = file.imports.filter { Self.ours.contains($0) && !mayImport.contains($0) }
      #expect(wrong.isEmpty, "\(file.path) imports \(wrong.joined(separator: ", "))")
    }
  }

  /// The C library, for comparing bytes; the clock and the files in it are not to be seen further in.
  static let cLibrary: Set<String> = ["Glibc", "Darwin"]

  @Test("a pure target imports this package only: no Foundation, and the C library only in WireFormats")
  func pureTargetsStandAlone() {
    for file in SourceFile.all where Self.pure.contains(file.target) {
      let foreign = file.imports.filter {
        !Self.ours.contains($0) && !(file.target == "WireFormats" && Self.cLibrary.contains($0))
      }
      #expect(foreign.isEmpty, "\(file.path) imports \(foreign.joined(separator: ", "))")
    }
  }

  /// The readers of events are a folder of the simulation's module, because generic code is not inlined across modules.
  @Test("no file of the world names a type of the readers of events")
  func worldKnowsNoReader() {
    let files = SourceFile.all.filter { $0.target == "Simulation" }
    let readers = files.filter { $0.path.hasPrefix("Simulation/Readers/") }
    let world = files.filter { !$0.path.hasPrefix("Simulation/Readers/") }
    func declared(in files: [SourceFile], _ head: Regex<(Substring, Substring)>) -> Set<String> {
      Set(files.flatMap(\.code).compactMap { line in line.firstMatch(of: head).map { String($0.1) } })
    }
    // A type within a type of the world may have the name of a reader's.
    let types = declared(in: readers, /^(?:package |final )*(?:struct|class|enum|protocol) (\w+)/)
      .subtracting(declared(in: world, /(?:struct|class|enum|protocol) (\w+)/))
    #expect(types.count > 40)
    for file in world {
      let named = Set(file.code.flatMap { $0.matches(of: /\b[A-Z]\w+/).map { String($0.output) } })
      let found = named.intersection(types).sorted()
      #expect(found.isEmpty, "\(file.path) names \(found.joined(separator: ", "))")
    }
  }

  @Test("imports are checked in every target, and found")
  func everyTarget() {
    let targets = Set(SourceFile.all.map(\.target))
    #expect(targets == Set(Self.arrows.map(\.target)))
    for target in ["APNs", "Devices", "Reporting", "Simulation"] {
      let imports = SourceFile.all.filter { $0.target == target }.flatMap(\.imports)
      #expect(imports.contains("Timeline"), "\(target)")
    }
  }

  @Test("shared test code and benchmarks import without @testable, so that `swift build -c release` builds all")
  func releaseBuildsEverything() throws {
    let root = SourceFile.folder.deletingLastPathComponent()
    let shared = ["TestSupport", "ClubSupport", "FuzzTargets"].map { "Tests/\($0)" } + ["Benchmarks"]
    for folder in shared {
      let path = root.appending(path: folder)
      let names = try #require(FileManager.default.enumerator(atPath: path.path(percentEncoded: false)))
      let files = names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
      #expect(!files.isEmpty, "\(folder)")
      for file in files {
        let text = try String(contentsOf: path.appending(path: file), encoding: .utf8)
        #expect(!text.contains("\n@testable import"), "\(folder)/\(file)")
      }
    }
  }

  @Test("imports are recognized in all their forms")
  func forms() {
    let text = [
      "import Timeline", "package import APNs", "@testable import Devices", "import struct Foundation.Data",
      "// import Glibc", "  import WireFormats  // bytes", "let text = \"import Nothing\"", "important()",
    ]
    let file = SourceFile(path: "APNs/X.swift", lines: text)
    #expect(file.imports == ["Timeline", "APNs", "Devices", "Foundation", "WireFormats"])
    #expect(file.target == "APNs")
  }
}
