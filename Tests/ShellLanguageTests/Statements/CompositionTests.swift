import ShellLanguage
import StoreCore
import StoreSchema
import Testing

/// Values within words: which dollars are replaced, and how texts are written so that none is.
@Suite struct CompositionTests {
  /// The first word behind `a`, in short.
  private func word(_ text: String) throws -> String { short(try statement("a \(text)").words[1]) }

  @Test(arguments: [
    (#""Deploy $1""#, #"<"Deploy "+$1>"#), (#""$1""#, #"<$1>"#), (#""$a$b""#, "<$a+$b>"), (#""${a}b""#, #"<$a+"b">"#),
    (#""$10x""#, #"<$10+"x">"#), (#""a $(f("b")) c""#, #"<"a "+$(f("b"))+" c">"#), (#""$a.b""#, #"<$a+".b">"#),
    (#""\$a""#, #""$a""#), (#""costs $ 5""#, #""costs $ 5""#), (#""^x$""#, #""^x$""#), (#""$-a""#, #""$-a""#),
    (#"'$a $(b)'"#, #""$a $(b)""#), ("app-$1", #"bare<"app-"+$1>"#), ("title=x$n", #"title=bare<"x"+$n>"#),
    ("$a", "$a"),
    ("${a}", "$a"), ("$a-$b", #"bare<$a+"-"+$b>"#), (#"\$a"#, "$a"), (#"x\$a"#, "x$a"), ("x$", "x$"), ("$", "$"),
    ("$a/b", #"bare<$a+"/b">"#), ("out-${f}.txt", #"bare<"out-"+$f+".txt">"#), ("$(x).txt", #"bare<$(x)+".txt">"#),
    ("a$(f(1, 2))", #"bare<"a"+$(f(1, 2))>"#), (#"["$a", $a, $(b)]"#, #"["$a",$a,$(b)]"#),
    (#"{"$a": "$b", c = $d}"#, #"{$a="$b",c=$d}"#), ("[x$a]", #"[bare<"x"+$a>]"#),
    ("items[id=$n].x", #"bare<"items[id="+[$n]+"].x">"#), (#"items["$n"]"#, #"items["$n"]"#),
    ("items[a$n]", #"bare<"items[a"+$n+"]">"#), ("\"a $(\nf(1)) b\"", "<\"a \"+$(\nf(1))+\" b\">"),
    ("--at=x$n", #"--at=bare<"x"+$n>"#),
  ])
  func pieces(_ text: String, _ expected: String) throws { #expect(try word(text) == expected) }

  @Test(arguments: [
    ("a $n[1]", "to reach into a variable write $(n…)", 5), ("a x=$n.y", "beside a text ${n}", 7),
    ("a [$n.x]", "to reach into a variable write $(n…)", 6), ("a $?", "there is no $?: $ok is true", 3),
    ("a \"$@\"", "the list arg", 4), ("a \"x$#\"", "$(#arg) counts the arguments", 5), ("a $*", "the list arg", 3),
    ("a \"$!\"", "\\$ is a dollar", 4), ("a ${1:-x}", "for another value write $(arg[1] or \"x\")", 6),
    ("a \"${b:-x}\"", "for another value write $(b or \"x\")", 7), ("a ${}", "expected a name behind ${", 5),
    ("a \"$(b\"", "this ( is never closed", 5), ("a \"$b", "this \" is never closed", 3),
    ("a \"$()\"", "expected a Lua expression", 5),
    ("a; b", "; ends no statement: write one statement a line", 2), ("a ; b", "; ends no statement", 3),
    ("a x;", "; ends no statement", 4), ("a x=1; b", "; ends no statement", 6),
    ("a \"x\"; b", "; ends no statement", 6),
    ("a [1]; b", "; ends no statement", 6), ("a && b", "a script ends at the first that fails", 3),
    ("a x&& b", "&& ends no statement", 4), ("a || b", "try COMMAND goes on", 3),
    ("a x|| b", "|| ends no statement", 4),
    ("a > f; b", "; ends no statement", 6), ("try a;", "; ends no statement", 6),
  ])
  func faults(_ text: String, _ message: String, _ column: Int) {
    #expect(fault(text)?.message.contains(message) == true, "\(fault(text)?.message ?? "none")")
    #expect(fault(text)?.column == column)
  }

  /// Within brackets and Lua, and behind `|`, these signs are none of the language's.
  @Test(arguments: [
    "a {x = 1; y = 2}", "a [b;]", "a b;c", "a \"b;\"", "a 'b &&'", "lua x() ; y()", "= 1 -- ;", "a | b; c && d || e",
    "a x&y", "a $(b;)",
  ])
  func signsWithinAreNoFaults(_ text: String) { #expect(fault(text) == nil) }

  /// A text that is written as a word is read back as it is, and in brackets too.
  @Test(arguments: 0..<20) func anyTextIsReadBack(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<50 {
      let signs = [
        "$", "$", "a", "1", "_", "{", "}", "(", ")", "[", "]", "\"", "'", "\\", ";", "&", "|", " ", "\n", "\t", "#",
        "?", "@", "*", "!", ">", "=", "é", "\u{200E}",
      ]
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in signs.randomElement(using: &random) ?? "" }
        .joined()
      let written = ActionText.literal(of: .string(text))
      #expect(try word(written) == "\"\(text)\"", "\(written)")
      #expect(try word("x=\(written)") == "x=\"\(text)\"", "\(written)")
      let list = ActionText.literal(of: .list([.string(text)]))
      #expect(try word(list) == "[\"\(text)\"]", "\(list)")
    }
  }
}
