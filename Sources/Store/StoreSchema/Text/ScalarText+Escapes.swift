extension ScalarText {
  package static func appendEscape(_ scalar: Unicode.Scalar, to out: inout String) {
    switch scalar {
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case "\r": out += "\\r"
    default: out += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
}
