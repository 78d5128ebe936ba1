/// Writes metric families in Prometheus' text format 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
  enum Kind: String {
    case counter
    case gauge
  }

  struct Sample {
    let value: UInt64
    let labels: [(name: String, value: String)]

    init(_ value: UInt64, _ labels: [(name: String, value: String)] = []) {
      self.value = value
      self.labels = labels
    }

    init(_ value: Int) { self.init(UInt64(max(0, value))) }
  }

  private(set) var text = ""

  /// Writes one family; `help` must be one line without a backslash.
  mutating func family(_ name: String, kind: Kind, help: String, samples: [Sample]) {
    let name = "pushpit_" + name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      text += name
      if !sample.labels.isEmpty {
        let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        text += "{\(labels.joined(separator: ","))}"
      }
      text += " \(sample.value)\n"
    }
  }

  /// Writes a counter of seconds.
  mutating func seconds(_ name: String, help: String, value: Double) {
    let name = "pushpit_" + name
    text += "# HELP \(name) \(help)\n# TYPE \(name) counter\n\(name) \(value)\n"
  }

  /// Writes a histogram.
  ///
  /// - Parameters:
  ///   - bounds: upper ends of the buckets, in seconds as they are written.
  ///   - counts: the count of each bucket by itself, and last the count of what is above all bounds.
  mutating func histogram(_ name: String, help: String, bounds: [String], counts: [UInt64], seconds: Double) {
    let name = "pushpit_" + name
    text += "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
    var total: UInt64 = 0
    for (bound, count) in zip(bounds + ["+Inf"], counts) {
      total += count
      text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
    }
    text += "\(name)_sum \(seconds)\n\(name)_count \(total)\n"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
