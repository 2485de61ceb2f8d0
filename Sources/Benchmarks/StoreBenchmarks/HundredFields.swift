import StoreSchema

// @Schema, by scripts/expand.
/// A state of 100 fields, for row W7.
struct HundredFields: Hashable, Sendable {
  var field01 = 0, field02 = 0, field03 = 0, field04 = 0, field05 = 0, field06 = 0, field07 = 0
  var field08 = 0, field09 = 0, field10 = 0, field11 = 0, field12 = 0, field13 = 0, field14 = 0
  var field15 = 0, field16 = 0, field17 = 0, field18 = 0, field19 = 0, field20 = 0, field21 = 0
  var field22 = 0, field23 = 0, field24 = 0, field25 = 0, field26 = 0, field27 = 0, field28 = 0
  var field29 = 0, field30 = 0, field31 = 0, field32 = 0, field33 = 0, field34 = 0, field35 = 0
  var field36 = 0, field37 = 0, field38 = 0, field39 = 0, field40 = 0, field41 = 0, field42 = 0
  var field43 = 0, field44 = 0, field45 = 0, field46 = 0, field47 = 0, field48 = 0, field49 = 0
  var field50 = 0, field51 = 0, field52 = 0, field53 = 0, field54 = 0, field55 = 0, field56 = 0
  var field57 = 0, field58 = 0, field59 = 0, field60 = 0, field61 = 0, field62 = 0, field63 = 0
  var field64 = 0, field65 = 0, field66 = 0, field67 = 0, field68 = 0, field69 = 0, field70 = 0
  var field71 = 0, field72 = 0, field73 = 0, field74 = 0, field75 = 0, field76 = 0, field77 = 0
  var field78 = 0, field79 = 0, field80 = 0, field81 = 0, field82 = 0, field83 = 0, field84 = 0
  var field85 = 0, field86 = 0, field87 = 0, field88 = 0, field89 = 0, field90 = 0, field91 = 0
  var field92 = 0, field93 = 0, field94 = 0, field95 = 0, field96 = 0, field97 = 0, field98 = 0
  var field99 = 0, field00 = 0
}
