/// What is wrong with a value; whoever knows where it was written makes an `InputProblem` of it.
struct ValueProblem: Error {
  /// Such as `a whole number from 1 to 10000000`.
  let wanted: String
}
