import Testing

@Suite("The whole catalogue of Debian packages")
struct CatalogTests {
  private static let file = Shell.packageFolder + "/../shared/data/debian-packages.jsonl"

  @Test(.enabled("the catalogue lies in ../shared, which is not there") { contents(ofFile: file) != nil })
  func comesOutAsAnotherToolComputesIt() throws {
    let outcome = try Shell().run(
      "-c", "plugin load catalog", "-c", "ingest \(Self.file) --as catalog.add", "-c",
      "show catalog.largest --as table", "-c", "show catalog.totals --json")
    #expect(
      outcome.output == """
        #1 shell.loadPlugin name="catalog" version="0.1.0"
          1 action
        ingested 63666 records as catalog.add (#2-#63667)
        section   packages  installedKiB  depends
        debug     216       160314660     385
        doc       4475      48736101      4628
        devel     3568      43992367      16496
        libdevel  5581      31787161      16184
        science   1654      23544291      8687
        games     1108      22650989      5995
        kernel    228       19341206      534
        libs      6711      17833030      37589
        misc      838       10378322      4640
        haskell   2205      10114304      19927
        {"sections":58,"packages":63666,"installedKiB":486125764,"depends":278873}

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }
}
