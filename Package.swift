// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// The archive of the system's Lua: a call through the table of a shared library costs a dispatch up to a tenth of its time.
let lua: [LinkerSetting] = [.linkedLibrary(":liblua5.4.a")]

/// Products of a package that only some traits need, so that nobody else resolves them.
///
/// The trait `All`, which is on by default, needs each of them too. No trait enables another, `All` does not either: of
/// several traits SwiftPM passes the names to the compiler in an order that differs from run to run, and then all of this
/// package is compiled anew.
func needed(by traits: [String], _ products: String..., of package: String) -> [Target.Dependency] {
  (traits + ["All"]).flatMap { trait in
    products.map { .product(name: $0, package: package, condition: .when(traits: [trait])) }
  }
}

/// The traits that bring `@Schema`, beside `All`.
let schemaTraits = ["Macros", "Publishers"]

let collections: Target.Dependency = .product(name: "HashTreeCollections", package: "swift-collections")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")

// A program that may lie anywhere in memory has 56,000 places corrected at each start, on 190 pages; that took a quarter of it.
// Shared libraries cost more than a third of the instructions of a start, since their symbols are looked up by name: the
// linker finds scripts first that name the archives (of libstdc++, SQLite and readline; libc and libm stay shared).
let quickStart: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld", "-Xclang-linker", "-no-pie", "-Xlinker", "--no-export-dynamic",
      "-L\(Context.packageDirectory)/Sources/Programs/stsh/Archives",
    ], .when(configuration: .release))
]

let package = Package(
  name: "StoreShell",
  products: [
    .library(name: "StoreCore", targets: ["StoreCore"]),
    .library(name: "StoreUnits", targets: ["StoreUnits"]),
    .library(name: "StoreSchema", targets: ["StoreSchema"]),
    .library(name: "StoreSchemaFoundation", targets: ["StoreSchemaFoundation"]),
    .library(name: "StoreTesting", targets: ["StoreTesting"]),
    .library(name: "StoreModules", targets: ["StoreModules"]),
    .library(name: "StorePlugins", targets: ["StorePlugins"]),
    .library(name: "StoreHistory", targets: ["StoreHistory"]),
    .library(name: "StoreHost", targets: ["StoreHost"]),
    .library(name: "StoreCombine", targets: ["StoreCombine"]),
    .library(name: "ShellLanguage", targets: ["ShellLanguage"]),
    .library(name: "StoreShell", targets: ["StoreShell"]),
    .library(name: "ShellDoor", targets: ["ShellDoor"]),
    .library(name: "LineEditor", targets: ["LineEditor"]),
    .executable(name: "stsh", targets: ["stsh"]),
    .executable(name: "stsh-inspector", targets: ["Inspector"]),
  ],
  traits: [
    .trait(name: "Macros", description: "@Schema, by swift-syntax"),
    .trait(name: "Publishers", description: "StoreCombine, by OpenCombine, and @Schema"),
    .trait(name: "Shell", description: "the program stsh, by swift-argument-parser"),
    .trait(name: "All", description: "what the traits above give"),
    .trait(name: "Inspector", description: "the program stsh-inspector, by FlyingFox and swift-argument-parser"),
    .default(enabledTraits: ["All"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(name: "Platform", dependencies: ["CEvents"], path: "Sources/Base/Platform", swiftSettings: strict),
    .systemLibrary(
      name: "CSQLite", path: "Sources/Base/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CEvents", path: "Sources/Base/CEvents"),
    .systemLibrary(name: "CReferences", path: "Sources/Base/CReferences"),
    .target(name: "CCrash", path: "Sources/Base/CCrash"),
    .target(
      name: "StoreCore", dependencies: ["CReferences", deque, heap], path: "Sources/Store/StoreCore",
      swiftSettings: strict),
    .target(
      name: "StoreUnits", dependencies: ["StoreCore", "StoreSchema", collections], path: "Sources/Store/StoreUnits",
      swiftSettings: strict),
    .target(
      name: "StoreSchema",
      dependencies: [collections]
        + (schemaTraits + ["All"]).map { .target(name: "StoreSchemaMacros", condition: .when(traits: [$0])) },
      path: "Sources/Store/StoreSchema", swiftSettings: strict),
    .target(
      name: "StoreSchemaFoundation", dependencies: ["StoreSchema"], path: "Sources/Store/StoreSchemaFoundation",
      swiftSettings: strict),
    // No target depends on it unless the trait is on, so that nobody else waits for swift-syntax. The tests start its
    // program: one that depended on a macro would have all tests, and all they depend on, built a second time, for the host.
    .macro(
      name: "StoreSchemaMacros",
      dependencies: needed(
        by: schemaTraits, "SwiftSyntax", "SwiftDiagnostics", "SwiftParser", "SwiftSyntaxMacros", "SwiftCompilerPlugin",
        of: "swift-syntax"),
      path: "Sources/Store/StoreSchemaMacros", swiftSettings: strict),
    .target(
      name: "StoreTesting", dependencies: ["StoreCore", "StoreSchema"], path: "Sources/Store/StoreTesting",
      swiftSettings: strict),
    .target(name: "CLua", path: "Sources/Lua/CLua", linkerSettings: lua),
    .target(name: "LuaRuntime", dependencies: ["CLua"], path: "Sources/Lua/LuaRuntime", swiftSettings: strict),
    .target(
      name: "StoreModules", dependencies: ["StoreSchema"], path: "Sources/Host/StoreModules", swiftSettings: strict),
    .target(
      name: "StorePlugins",
      dependencies: ["Platform", "StoreModules", "StoreCore", "StoreUnits", "StoreSchema", "LuaRuntime"],
      path: "Sources/Host/StorePlugins", swiftSettings: strict),
    .target(
      name: "StoreHistory",
      dependencies: ["Platform", "CSQLite", "StoreCore", "StoreSchema", deque],
      path: "Sources/Host/StoreHistory", swiftSettings: strict),
    .target(name: "CNATS", path: "Sources/Base/CNATS"),
    .target(
      name: "StoreReplication", dependencies: ["CNATS", "Platform", "StoreCore", "StoreSchema", deque],
      path: "Sources/Host/StoreReplication", swiftSettings: strict),
    .target(
      name: "StoreCombine",
      dependencies: ["StoreCore"] + needed(by: ["Publishers"], "OpenCombine", of: "OpenCombine"),
      path: "Sources/Store/StoreCombine", swiftSettings: strict),
    .target(
      name: "StoreHost",
      dependencies: [
        "Platform", "StoreCore", "StoreUnits", "StoreSchema", "StoreModules", "StorePlugins", "StoreHistory",
        "StoreReplication", deque, heap,
      ],
      path: "Sources/Host/StoreHost", swiftSettings: strict),
    .target(
      name: "ShellLanguage", dependencies: ["StoreSchema"], path: "Sources/Shell/ShellLanguage", swiftSettings: strict),
    .target(
      name: "StoreShell",
      dependencies: [
        "CCrash", "Platform", "StoreCore", "StoreUnits", "StoreSchema", "StoreModules", "StorePlugins", "StoreHistory",
        "StoreHost", "ShellLanguage", deque,
      ],
      path: "Sources/Shell/StoreShell", resources: [.embedInCode("Help/Topics")], swiftSettings: strict),
    .target(
      name: "ShellDoor",
      dependencies: [
        "CEvents", "Platform", "StoreCore", "StoreSchema", "StoreModules", "StoreHistory", "StoreHost", "ShellLanguage",
        "StoreShell",
      ],
      path: "Sources/Shell/ShellDoor", swiftSettings: strict),
    .target(name: "CReadline", path: "Sources/Shell/CReadline", linkerSettings: [.linkedLibrary("readline")]),
    .target(
      name: "LineEditor", dependencies: ["CReadline", "Platform", "ShellLanguage", "StoreShell"],
      path: "Sources/Shell/LineEditor",
      swiftSettings: strict),
    .target(
      name: "StandardModules", dependencies: ["StoreCore", "StoreSchema"],
      path: "Sources/Programs/StandardModules", swiftSettings: strict),
    .executableTarget(
      name: "stsh",
      dependencies: [
        "CCrash", "CEvents", "Platform", "StoreCore", "StoreHost", "ShellLanguage", "StoreShell", "ShellDoor",
        "LineEditor", "StandardModules",
      ] + needed(by: ["Shell"], "ArgumentParser", of: "swift-argument-parser"),
      path: "Sources/Programs/stsh", exclude: ["Archives"], swiftSettings: strict, linkerSettings: quickStart),
    .executableTarget(
      name: "Gallery",
      dependencies: ["StoreCore", "StoreUnits", "StoreSchema", "StoreHost", "StoreShell", "LineEditor"],
      path: "Sources/Programs/Gallery", swiftSettings: strict),
    .executableTarget(
      name: "OrderBook",
      dependencies: ["StoreCore", "StoreSchema", "StoreHost", "StoreShell", "ShellDoor", "LineEditor"],
      path: "Sources/Programs/OrderBook", swiftSettings: strict),
    .target(
      name: "InspectorPage", path: "Sources/Programs/Inspector/Page", exclude: ["assets"], sources: ["Assets.c"],
      publicHeadersPath: "include"),
    .executableTarget(
      name: "Inspector",
      dependencies: [
        "InspectorPage",
        .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Inspector"])),
      ],
      path: "Sources/Programs/Inspector", exclude: ["Page"], swiftSettings: strict),
    .executableTarget(
      name: "Shop",
      dependencies: ["StoreCore", "StoreUnits", "StoreSchema", "StoreHost", "ShellDoor"],
      path: "Sources/Programs/Shop", swiftSettings: strict),
    .target(name: "LuaLimit", path: "Sources/Benchmarks/LuaLimit", linkerSettings: lua),
    .executableTarget(name: "StartLimit", path: "Sources/Benchmarks/StartLimit", swiftSettings: strict),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "CEvents", "CNATS", "LuaLimit", "Platform", "StoreCore", "StoreUnits", "StoreSchema", "StoreModules",
        "StorePlugins", "StoreReplication", "StoreHost", "ShellLanguage", "StoreShell", "ShellDoor", "StandardModules",
      ],
      path: "Sources/Benchmarks/StoreBenchmarks", swiftSettings: strict),
    .executableTarget(
      name: "LineEditorProbe", dependencies: ["LineEditor", "StoreShell"], path: "Tests/LineEditorProbe",
      swiftSettings: strict),
    .testTarget(
      name: "StoreSchemaTests", dependencies: ["StoreCore", "StoreSchema", "StoreSchemaFoundation"],
      swiftSettings: strict),
    .testTarget(
      name: "SchemaExpansionTests", dependencies: ["StoreSchema", "TerminalSupport"], swiftSettings: strict),
    .testTarget(name: "StoreCoreTests", dependencies: ["StoreCore", "TraceSupport"], swiftSettings: strict),
    .testTarget(
      name: "StoreUnitsTests", dependencies: ["StoreUnits", "StoreCore", "StoreSchema", "TraceSupport", collections],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTestingTests",
      dependencies: ["StoreTesting", "StoreUnits", "StoreCore", "StoreSchema", "TraceSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["StoreCore", "StoreUnits", "StoreSchema", "StoreSchemaFoundation", "StoreTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreHistoryTests",
      dependencies: [
        "StoreHistory", "Platform", "StoreCore", "StoreSchema",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoreReplicationTests", dependencies: ["StoreReplication", "StoreCore", "LogSupport", "TerminalSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreCombineTests",
      dependencies: ["StoreCombine", "StoreCore", "TraceSupport"]
        + needed(by: ["Publishers"], "OpenCombine", of: "OpenCombine"),
      swiftSettings: strict),
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "StoreShell", "StoreHost", "StorePlugins", "StoreUnits", "StoreCore", "StoreSchema",
        "PluginSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StorePluginsTests",
      dependencies: ["StorePlugins", "StoreModules", "StoreCore", "StoreSchema", "LuaRuntime", "PluginSupport"],
      swiftSettings: strict),
    .testTarget(name: "LuaRuntimeTests", dependencies: ["LuaRuntime", "StoreCore"], swiftSettings: strict),
    .target(name: "TraceSupport", dependencies: ["StoreCore"], path: "Tests/TraceSupport", swiftSettings: strict),
    .target(
      name: "PluginSupport", dependencies: ["Platform", "StorePlugins"], path: "Tests/PluginSupport",
      swiftSettings: strict),
    .target(
      name: "LogSupport", dependencies: ["StoreReplication", "StoreCore"], path: "Tests/LogSupport",
      swiftSettings: strict),
    .target(name: "TerminalSupport", dependencies: ["StoreCore"], path: "Tests/TerminalSupport", swiftSettings: strict),
    .testTarget(
      name: "LineEditorTests", dependencies: ["LineEditor", "LineEditorProbe", "TerminalSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ShellLanguageTests", dependencies: ["ShellLanguage", "StoreCore", "StoreSchema"], swiftSettings: strict),
    .testTarget(
      name: "StoreShellTests",
      dependencies: [
        "StoreShell", "StoreHost", "StoreHistory", "StorePlugins", "StoreModules", "StoreUnits", "StoreCore",
        "StoreSchema",
        "ShellLanguage", "StandardModules", "LuaRuntime", "Platform", "PluginSupport", "TerminalSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoreHostTests",
      dependencies: [
        "StoreHost", "StoreHistory", "StoreModules", "StorePlugins", "StoreReplication", "StoreShell", "ShellDoor",
        "StoreUnits", "StoreCore", "StoreSchema", "StandardModules", "LogSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ShellDoorTests",
      dependencies: [
        "ShellDoor", "StoreShell", "StoreHost", "StoreCore", "StoreSchema", "ShellLanguage", "StandardModules",
        "TerminalSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "OrderBookTests",
      dependencies: ["OrderBook", "StoreShell", "StoreHost", "StoreCore", "StoreSchema", "PluginSupport"],
      swiftSettings: strict),
    .testTarget(name: "StshTests", dependencies: ["stsh"], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["stsh", "Gallery", "OrderBook", "Shop", "ShellLanguage", "TerminalSupport"],
      exclude: ["Recorded", "StandIns", "Support/DoorClient.py"], swiftSettings: strict),
  ]
)

// For scripts/test-threads: what several threads use, and no more: with the sanitizer all is compiled anew.
if Context.environment["STORESHELL_THREADS_ONLY"] != nil {
  let others: Set = [
    "Gallery", "Inspector", "InspectorPage", "Shop", "stsh", "LuaLimit", "StartLimit", "StoreBenchmarks",
    "LineEditorProbe",
  ]
  let tests: Set = [
    "StoreCoreTests", "StoreUnitsTests", "StoreTestingTests", "StoreCombineTests", "StoreHostTests", "ShellDoorTests",
    "OrderBookTests",
  ]
  package.targets.removeAll { target in
    target.type == .test ? !tests.contains(target.name) : others.contains(target.name)
  }
  let left = Set(package.targets.map(\.name))
  package.products.removeAll { !left.contains($0.name) }
}
