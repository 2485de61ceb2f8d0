/// An instruction of Lua 5.4 (`lopcodes.h` is its description).
struct Instruction {
  let word: UInt32

  var operation: Operation? { Operation(rawValue: UInt8(word & 0x7f)) }
  var a: Int { Int(word >> 7 & 0xff) }
  var b: Int { Int(word >> 16 & 0xff) }
  var c: Int { Int(word >> 24) }
  /// True if an operand that may be a register or a constant is a constant.
  var isConstant: Bool { word >> 15 & 1 != 0 }
  /// The distance of a jump; negative: back.
  var distance: Int { Int(word >> 7) - 0xff_ffff }

  /// The operation of an instruction.
  enum Operation: UInt8 {
    case move, loadInteger, loadFloat, loadConstant, loadExtraConstant, loadFalse, loadFalseAndSkip, loadTrue, loadNil
    case getUpvalue, setUpvalue
    case getUpvalueField, getIndex, getInteger, getField
    case setUpvalueField, setIndex, setInteger, setField
    case newTable, method, addInteger
    case addConstant, subtractConstant, multiplyConstant, moduloConstant, powerConstant, divideConstant
    case divideWholeConstant, andConstant, orConstant, xorConstant, shiftRightInteger, shiftLeftInteger
    case add, subtract, multiply, modulo, power, divide, divideWhole, and, or, xor, shiftLeft, shiftRight
    case metamethod, metamethodInteger, metamethodConstant
    case negate, complement, not, length, concatenate
    case close, closeLater, jump
    case equal, less, lessOrEqual, equalConstant, equalInteger, lessInteger, lessOrEqualInteger, greaterInteger
    case greaterOrEqualInteger, test, testAndSet
    case call, tailCall, returnMany, returnNone, returnOne
    case numericLoop, numericLoopStart, genericLoopStart, genericLoopCall, genericLoop
    case setList, closure, variadic, prepareVariadic, extraArgument
  }

  /// True if the instruction may read a register.
  func mayRead(_ register: Int) -> Bool {
    switch operation {
    case .loadInteger, .loadFloat, .loadConstant, .loadExtraConstant, .loadFalse, .loadFalseAndSkip, .loadTrue,
      .loadNil, .getUpvalue, .getUpvalueField, .newTable, .close, .jump, .returnNone, .closure, .variadic,
      .prepareVariadic, .extraArgument:
      false
    case .move, .getInteger, .getField, .addInteger, .addConstant, .subtractConstant, .multiplyConstant,
      .moduloConstant, .powerConstant, .divideConstant, .divideWholeConstant, .andConstant, .orConstant, .xorConstant,
      .shiftRightInteger, .shiftLeftInteger, .negate, .complement, .not, .length, .testAndSet:
      b == register
    case .getIndex, .add, .subtract, .multiply, .modulo, .power, .divide, .divideWhole, .and, .or, .xor, .shiftLeft,
      .shiftRight:
      b == register || c == register
    case .method: b == register || !isConstant && c == register
    case .setUpvalueField: !isConstant && c == register
    case .setInteger, .setField: a == register || !isConstant && c == register
    case .setIndex: a == register || b == register || !isConstant && c == register
    case .setUpvalue, .metamethodInteger, .metamethodConstant, .equalConstant, .equalInteger, .lessInteger,
      .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger, .test, .closeLater, .returnOne:
      a == register
    case .metamethod, .equal, .less, .lessOrEqual: a == register || b == register
    case .concatenate: register >= a && register < a + b
    case .call, .tailCall: register >= a && (b == 0 || register < a + b)
    case .returnMany: register >= a && (b == 0 || register < a + b - 1)
    case .numericLoop, .numericLoopStart, .genericLoopStart, .genericLoopCall, .genericLoop:
      register >= a && register < a + 4
    case .setList: register >= a
    case nil: true
    }
  }

  /// True if the instruction may put something into the register of a parameter.
  func mayWrite(_ parameter: Int) -> Bool {
    switch operation {
    case .jump, .test, .extraArgument, .returnNone, .returnOne, .returnMany: false
    default: a == parameter
    }
  }

  /// True if the next instruction in the code, or one further on, runs next. No other code runs but the metamethods of
  /// the operands.
  var goesOn: Bool {
    switch operation {
    case .jump: distance >= 0
    case .getUpvalue, .setUpvalue, .getUpvalueField, .setUpvalueField, .method, .call, .tailCall, .close, .closeLater,
      .numericLoop, .numericLoopStart, .genericLoopStart, .genericLoopCall, .genericLoop, .closure, .variadic,
      .prepareVariadic, nil:
      false
    default: true
    }
  }
}
