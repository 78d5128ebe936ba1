// swift-tools-version: 6.2
import PackageDescription

// The targets, ring by ring. An import may only point from an outer ring to an inner one;
// Tests/ArchitectureTests holds the arrows, this file draws them.

/// True if the tests are built in release, as `make test` does.
let isQuick = Context.environment["PUSHPIT_QUICK_TESTS"] != nil
/// True if the fuzzers are built, as `make fuzz` does.
let isFuzzed = Context.environment["PUSHPIT_FUZZ"] != nil

/// The checks at the boundary of the world (Sources/Simulation/Checks) are compiled into debug builds, the test build and
/// the fuzzers, and into nothing that users get.
let checks: SwiftSetting =
  isQuick || isFuzzed ? .define("PUSHPIT_CHECKS") : .define("PUSHPIT_CHECKS", .when(configuration: .debug))

/// The settings of every Swift target: Swift 6 rules, and no warning is left standing.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  checks,
]

/// In such a build the tests themselves are compiled without the optimizer, which saves more time than they lose. What
/// they test is optimized. Nothing waits for their modules, so each is made by the job that compiles it; a job of its own
/// would expand every `#expect` of them once more.
let quickTests: [SwiftSetting] =
  isQuick ? [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])] : []

/// The module that a target waits for in such a build, although it does not use it. Otherwise SwiftPM would compile this
/// target first, Simulation, the longest of all, would start later, and a processor would have nothing to do beside it.
/// Observed: of the targets that are ready, SwiftPM 6.3 starts those with the last names first.
func waiting(for module: String) -> [Target.Dependency] { isQuick ? [.target(name: module)] : [] }

func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

func tests(_ name: String, _ dependencies: Target.Dependency..., after module: String? = nil) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + (module.map { waiting(for: $0) } ?? []),
    swiftSettings: house + quickTests)
}

/// Links libFuzzer, which only a compiler with a sanitizer's flags brings; see `make fuzz`.
let fuzzer: [Target] =
  !isFuzzed
  ? []
  : [
    .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets", "CFuzzer"], path: "Tests/Fuzz", swiftSettings: house),
  ]

let package = Package(
  name: "pushpit",
  // For InlineArray, which needs macOS 26 (its @available in the standard library of Swift 6.2); Mutex, Atomic and
  // UInt128 would need 15. Nobody has built this on macOS yet.
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "pushpit", targets: ["CLI"]),
    .library(name: "Pushpit", targets: ["Pushpit"]),
    .library(name: "PushpitTesting", targets: ["PushpitTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // C libraries of the system: a module map and a shim header each, nothing else.
    system("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev", brew: "libnghttp2"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev", brew: "openssl@3"),
    system("CLibevent", pkgConfig: "libevent_core", apt: "libevent-dev", brew: "libevent"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    // What Admin serves from files: its document and its page, so that the program works without files beside it.
    .target(name: "CAdminFiles"),

    // Innermost ring: time and bytes. They know nothing of pushes and nothing of each other.
    .target(name: "Timeline", swiftSettings: house),
    .target(name: "WireFormats", dependencies: ["CSimdjson"], swiftSettings: house),

    // How users write things, in JSON and in YAML alike, and how they are told what is wrong.
    .target(name: "Grammar", dependencies: ["Timeline", "WireFormats"], swiftSettings: house),

    // What Apple promises, what phones do, and the world made of both. Pure: no clock, no chance
    // without a seed, no file, no socket.
    .target(name: "APNs", dependencies: ["Timeline", "WireFormats"], swiftSettings: house),
    .target(name: "Devices", dependencies: ["APNs", "Timeline", "WireFormats"], swiftSettings: house),
    .target(name: "Reporting", dependencies: ["Devices", "APNs", "Timeline", "WireFormats"], swiftSettings: house),
    .target(
      name: "Simulation", dependencies: ["Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"],
      swiftSettings: house),
    // Readers and writers of orders and tapes; and scenarios, whose steps and expectations are made of orders.
    .target(
      name: "Orders",
      dependencies: ["Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"],
      swiftSettings: house),
    .target(
      name: "Scenarios",
      dependencies: ["Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"],
      swiftSettings: house),

    // The search for the smallest trouble that breaks a story.
    .target(
      name: "Hunting",
      dependencies: ["Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Timeline", "WireFormats"],
      swiftSettings: house),

    // Around the world: protocol, keys, the admin API. Each knows one thing and no socket.
    .target(name: "HTTP2", dependencies: ["CNghttp2", "WireFormats"], swiftSettings: house),
    .target(name: "Signing", dependencies: ["COpenSSL", "WireFormats"], swiftSettings: house),
    .target(
      name: "Admin",
      dependencies: [
        "CAdminFiles", "Hunting", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar",
        "Timeline", "WireFormats",
      ],
      exclude: ["openapi.yaml", "Page"], swiftSettings: house),

    // The shell: sockets, timers, files, the clock.
    .target(
      name: "Transport",
      dependencies: ["HTTP2", "CLibevent", "COpenSSL", "CCurl", "Timeline", "WireFormats"] + waiting(for: "Devices"),
      swiftSettings: house,
      linkerSettings: [.linkedLibrary("event_extra"), .linkedLibrary("event_pthreads")]),

    // What users write in files.
    .target(
      name: "Configuration",
      dependencies: [
        "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline",
        "WireFormats",
        .product(name: "Yams", package: "Yams"),
      ],
      resources: [
        .embedInCode("Profiles/sightscreen.yaml"), .embedInCode("Profiles/plain.yaml"),
        .embedInCode("Profiles/delivery.yaml"),
      ], swiftSettings: house),
    .target(
      name: "ScenarioFiles",
      dependencies: [
        "Configuration", "Hunting", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar",
        "Timeline", "WireFormats",
        .product(name: "Yams", package: "Yams"),
      ], swiftSettings: house),

    // The server, which other programs can have within them, and the command that is made of it.
    .target(
      name: "Pushpit",
      dependencies: [
        "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "HTTP2", "Scenarios", "Orders",
        "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
      ], swiftSettings: house),
    // For tests of backends that are written in Swift; uses the Testing library of the toolchain. Most users build tests
    // without the optimizer, so the test build compiles this without it as well.
    .target(
      name: "PushpitTesting", dependencies: ["Pushpit", "Configuration", "Transport", "Grammar", "WireFormats"],
      swiftSettings: house + quickTests),
    // Commands: of clients of a running server, and runs without one.
    .target(
      name: "ClientCommands",
      dependencies: [
        "Pushpit", "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "Scenarios", "Orders",
        "Simulation", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
      ], swiftSettings: house),
    .target(
      name: "RunCommands",
      dependencies: [
        "ClientCommands", "Pushpit", "ScenarioFiles", "Configuration", "Transport", "Admin", "Signing", "Hunting",
        "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats",
        "CSQLite",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
      ], swiftSettings: house),
    .executableTarget(
      name: "CLI",
      dependencies: [
        "RunCommands", "ClientCommands", "Pushpit", "ScenarioFiles", "Configuration", "Grammar",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Only reads the command line, which takes no longer. The optimizer would take 13 of 20 s, at the end of each build.
      swiftSettings: house + [.unsafeFlags(["-Onone"])]),

    // Measures the phones without a wire; `make bench` runs it.
    .executableTarget(
      name: "PhoneBenchmark",
      dependencies: ["Scenarios", "Orders", "Simulation", "Devices", "APNs", "Timeline", "WireFormats"],
      path: "Benchmarks/PhoneBenchmark", swiftSettings: house + quickTests),

    // Measures the outgoing calls of virtual apps; `make bench` runs it.
    .executableTarget(
      name: "CallBenchmark", dependencies: ["Transport", "WireFormats"], path: "Benchmarks/CallBenchmark",
      swiftSettings: house + quickTests),

    // Measures how pushes scale over loops, without sockets; `make bench` runs it.
    .executableTarget(
      name: "GatewayBenchmark",
      dependencies: [
        "Pushpit", "Transport", "HTTP2", "Scenarios", "Orders", "Simulation", "Devices", "APNs", "Timeline",
        "WireFormats",
      ],
      path: "Benchmarks/GatewayBenchmark", swiftSettings: house + quickTests),

    .target(
      name: "TestSupport", dependencies: ["WireFormats"], path: "Tests/TestSupport", swiftSettings: house + quickTests),
    tests("TimelineTests", "Timeline"),
    tests("GrammarTests", "Grammar", "Timeline", "WireFormats"),
    tests("WireFormatsTests", "TestSupport", "WireFormats"),
    tests("APNsTests", "TestSupport", "APNs", "Timeline", "WireFormats", after: "Reporting"),
    tests("DevicesTests", "TestSupport", "Devices", "APNs", "Timeline", "WireFormats", after: "Reporting"),
    tests("ReportingTests", "Reporting", "Devices", "APNs", "Timeline", "WireFormats"),
    tests(
      "SimulationTests", "TestSupport", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs",
      "Grammar", "Timeline",
      "WireFormats"),
    tests(
      "HuntingTests", "TestSupport", "Hunting", "Configuration", "ScenarioFiles", "Scenarios", "Orders", "Simulation",
      "Reporting", "Devices", "APNs", "Timeline", "WireFormats", after: "RunCommands"),
    tests("HTTP2Tests", "TestSupport", "HTTP2", "WireFormats", "CNghttp2", after: "Reporting"),
    tests("SigningTests", "TestSupport", "Signing", "WireFormats", "COpenSSL", after: "Reporting"),
    tests(
      "AdminTests", "TestSupport", "Admin", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs",
      "Grammar",
      "Timeline", "WireFormats"),
    tests("TransportTests", "TestSupport", "Transport", "HTTP2", "Signing", "WireFormats", "Timeline", "COpenSSL"),
    // A world whose phones have one app by a profile, for the tests of what apps report.
    .target(
      name: "ClubSupport",
      dependencies: [
        "Configuration", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Timeline",
        "WireFormats",
      ],
      path: "Tests/ClubSupport", swiftSettings: house + quickTests),
    tests(
      "ConfigurationTests", "ClubSupport", "TestSupport", "Configuration", "Scenarios", "Orders",
      "Simulation", "Reporting", "Devices", "APNs",
      "Grammar", "Timeline", "WireFormats", after: "RunCommands"),
    tests(
      "ScenarioFilesTests", "TestSupport", "Admin", "RunCommands", "ClientCommands", "ScenarioFiles", "Configuration",
      "Scenarios", "Orders",
      "Simulation",
      "Reporting", "Devices", "APNs", "Grammar", "Timeline", "WireFormats"),
    tests(
      "PushpitTests", "ClubSupport", "TestSupport", "Pushpit", "Configuration", "Transport", "Signing",
      "HTTP2", "Scenarios", "Orders", "Simulation", "Reporting", "Devices", "APNs", "Grammar", "Timeline",
      "WireFormats", after: "RunCommands"),
    tests(
      "PushpitTestingTests", "PushpitTesting", "Pushpit", "Configuration", "Transport", "Signing", "WireFormats",
      after: "RunCommands"),
    tests(
      "CommandsTests", "TestSupport", "RunCommands", "ClientCommands", "Pushpit", "ScenarioFiles", "Configuration",
      "Transport", "Admin", "Hunting", "Scenarios", "Orders", "Simulation", "Devices", "Timeline", "Grammar",
      "WireFormats"),
    tests(
      "CLITests", "CLI", "ClientCommands", "Configuration", "WireFormats",
      .product(name: "ArgumentParser", package: "swift-argument-parser")),
    tests("ArchitectureTests", "TestSupport", after: "Reporting"),

    // What the fuzzers feed, and the test that replays their corpus.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ScenarioFiles", "Configuration", "Admin", "Signing", "HTTP2", "Scenarios", "Orders", "Simulation",
        "Reporting", "Devices", "APNs",
        "Grammar", "Timeline", "WireFormats",
      ] + waiting(for: "RunCommands"),
      path: "Tests/FuzzTargets", swiftSettings: house + quickTests),
    tests("FuzzTests", "FuzzTargets", "TestSupport"),
  ] + fuzzer,
  cxxLanguageStandard: .cxx17
)
