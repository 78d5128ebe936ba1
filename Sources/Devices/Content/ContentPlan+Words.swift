/// How failures name what a type expects.
extension ContentPlan.Form {
  /// With its article.
  var expectation: String {
    switch self {
    case .string: "a string"
    case .int: "a whole number"
    case .double: "a number"
    case .bool: "true or false"
    case .date: "a number, the seconds since 2001 that a Date is by default"
    case .data: "a string in base64"
    case .url: "a string with a URL"
    case .uuid: "a string with a UUID"
    case .any: "a value"
    case .dateRange: "an array of two numbers, the bounds of a ClosedRange<Date>"
    case .stringEnum: "a string, the raw value of an enum"
    case .intEnum: "a whole number, the raw value of an enum"
    case .array: "an array"
    case .dictionary, .object: "an object"
    }
  }
}
