import HTTP2

/// Reports streams that were not served: one trouble for all streams of one kind in a batch.
struct UnservedReport {
  let kind: String
  let sentence: String

  static func of(_ streams: [UnservedStream]) -> [UnservedReport] {
    var refused: [Int32] = []
    var noRoom: [Int32] = []
    var above: [Int32] = []
    var reports: [UnservedReport] = []
    for stream in streams {
      switch stream.why {
      case .refused: refused.append(stream.stream)
      case .noRoom: noRoom.append(stream.stream)
      case .aboveLastStream: above.append(stream.stream)
      case .malformed(let why, let count):
        let which =
          count == 1 ? "Stream \(stream.stream) is" : "Stream \(stream.stream), number \(count) of its kind, is"
        reports.append(
          UnservedReport(
            kind: "malformedRequest", sentence: "\(which) not HTTP: \(why). It was reset with PROTOCOL_ERROR."))
      }
    }
    if !refused.isEmpty {
      let sentence = "\(named(refused)) above the stream limit: REFUSED_STREAM, nothing was processed."
      reports.append(UnservedReport(kind: "streamRefused", sentence: sentence))
    }
    if !noRoom.isEmpty {
      let sentence = """
        \(named(noRoom)) refused (REFUSED_STREAM): the connection holds too many bytes of requests and unread answers; \
        nothing was processed.
        """
      reports.append(UnservedReport(kind: "streamRefused", sentence: sentence))
    }
    if !above.isEmpty {
      let sentence = "\(named(above)) above the last stream that a GOAWAY named; nothing was processed."
      reports.append(UnservedReport(kind: "streamNotProcessed", sentence: sentence))
    }
    return reports
  }

  private static func named(_ streams: [Int32]) -> String {
    let shown = streams.sorted().prefix(5).map(String.init).joined(separator: ", ")
    let more = streams.count > 5 ? " and \(streams.count - 5) others are" : ""
    return streams.count == 1 ? "Stream \(shown) is" : "Streams \(shown)\(more.isEmpty ? " are" : more)"
  }
}
