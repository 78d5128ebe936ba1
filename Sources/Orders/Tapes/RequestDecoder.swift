import WireFormats

/// Reconstructs requests from their differences to the previous one.
enum RequestDecoder {
  /// Maximum size of a request; no record can produce a larger one.
  private static let longest = 1 << 24

  static func request(
    from source: inout TapeValueReader, after before: HTTPRequest, _ memory: inout TapeCompressionState
  ) throws(TapeCorruption) -> HTTPRequest {
    typealias Form = RequestEncoder.Form
    let form = try source.byte()
    if form == Form.whole {
      let fields = Array(try source.list())
      return HTTPRequest(storage: fields + (try source.list()), bodyStart: fields.count)
    }
    guard form & ~(Form.like | Form.sameBody) == 0 else { throw .invalid("a request of form \(form)") }
    var storage = try fields(from: &source, after: before, &memory)
    let bodyStart = storage.count
    storage += form & Form.sameBody != 0 ? before.body : try body(from: &source, after: before.body)[...]
    return HTTPRequest(storage: storage, bodyStart: bodyStart)
  }

  private static func fields(
    from source: inout TapeValueReader, after before: HTTPRequest, _ memory: inout TapeCompressionState
  ) throws(TapeCorruption) -> [UInt8] {
    var changes: [Int: [UInt8]] = [:]
    let old = before.fields.packed
    var places: [HTTPFieldCursor.Field] = []
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: old.span, end: old.count) { places.append(field) }
    var index = -1
    while true {
      let step: Int = try source.integer()
      if step == 0 { break }
      guard step > 0, step < places.count - index else { throw .invalid("a change of a missing field") }
      index += step
      changes[index] = try value(from: &source, after: old[places[index].value], &memory)
    }
    guard !changes.isEmpty else { return old }
    var fields = HTTPFields()
    for (index, field) in places.enumerated() {
      fields.append(name: old[field.name], value: changes[index] ?? Array(old[field.value]))
    }
    return fields.packed
  }

  private static func value(
    from source: inout TapeValueReader, after before: ArraySlice<UInt8>, _ memory: inout TapeCompressionState
  ) throws(TapeCorruption) -> [UInt8] {
    typealias Value = RequestEncoder.Value
    let head = try source.number()
    let (form, number) = (head & 3, head >> Value.bits)
    if form == Value.known {
      guard number < UInt64(memory.values.count) else { throw .invalid("a reference to an undefined value") }
      return memory.values[Int(number)]
    }
    guard form == Value.raw || form == Value.hex else { throw .invalid("a value of form \(form)") }
    let suffix = try source.number()
    let middle = try source.list()
    let (start, end) = try ends(number, suffix, of: before)
    let value: [UInt8] = Array(start) + (form == Value.hex ? HexPacking.unpack(middle) : Array(middle)) + Array(end)
    if value.count >= RequestEncoder.memorable, value.count <= RequestEncoder.tooLong { memory.keep(value) }
    return value
  }

  private static func body(
    from source: inout TapeValueReader, after before: ArraySlice<UInt8>
  ) throws(TapeCorruption) -> [UInt8] {
    let (prefix, suffix) = (try source.number(), try source.number())
    let middle = try source.list()
    let (start, end) = try ends(prefix, suffix, of: before)
    let body = start + middle + end
    guard body.count <= longest else { throw .invalid("a body of more than 16 MB") }
    return Array(body)
  }

  private static func ends(
    _ prefix: UInt64, _ suffix: UInt64, of before: ArraySlice<UInt8>
  ) throws(TapeCorruption) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
    guard prefix <= UInt64(before.count), suffix <= UInt64(before.count) - prefix else {
      throw .invalid("a range beyond the previous request")
    }
    return (before.prefix(Int(prefix)), before.suffix(Int(suffix)))
  }
}
