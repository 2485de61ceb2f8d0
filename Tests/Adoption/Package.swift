// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Adoption",
  dependencies: [.package(name: "StoreShell", path: "../..")],
  targets: [
    samples("SwiftRex", "StoreCore", "StoreUnits", "StoreSchema", "StoreSchemaFoundation"),
    samples("Reducer", "StoreCore", "StoreUnits", "StoreSchema"),
    samples("BindableRedux", "StoreCore", "StoreUnits", "StoreSchema"),
    samples("RxState", "StoreCore", "StoreUnits", "StoreSchema"),
    samples("GatedMiddleware", "StoreCore", "StoreUnits", "StoreSchema"),
    .testTarget(
      name: "AdoptionTests",
      dependencies: [
        "SwiftRexSamples", "ReducerSamples", "BindableReduxSamples", "RxStateSamples", "GatedMiddlewareSamples",
        product("StoreCore"), product("StoreUnits"), product("StoreSchema"), product("StoreTesting"),
        product("StoreCombine"), product("StoreModules"), product("StorePlugins"), product("StoreHistory"),
        product("StoreHost"), product("ShellLanguage"), product("StoreShell"), product("ShellDoor"),
        product("LineEditor"),
      ]),
  ]
)

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "StoreShell") }

/// The samples of one system, with the products that they use.
func samples(_ system: String, _ products: String...) -> Target {
  .target(name: "\(system)Samples", dependencies: products.map(product))
}
