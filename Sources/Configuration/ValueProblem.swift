/// Why a value is invalid; a caller that knows its place makes an `InputProblem` of it.
struct ValueProblem: Error {
  /// The valid values, such as `a whole number from 1 to 10000000`.
  let wanted: String
}
