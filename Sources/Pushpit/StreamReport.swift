import HTTP2

/// A trouble with streams of a client, in words.
struct StreamReport {
  let kind: String
  let sentence: String

  /// The report of a stream above the last stream of a GOAWAY; the stream is not answered.
  static func ignored(_ stream: Int32) -> StreamReport {
    StreamReport(
      kind: "streamAfterGoAway",
      sentence: "The client opened stream \(stream) above the last stream of a GOAWAY; it is not answered.")
  }

  /// The reports of streams that were not served, one for each kind.
  static func unserved(_ streams: [UnservedStream]) -> [StreamReport] {
    var refused: [Int32] = []
    var noRoom: [Int32] = []
    var above: [Int32] = []
    var reports: [StreamReport] = []
    for stream in streams {
      switch stream.why {
      case .refused: refused.append(stream.stream)
      case .noRoom: noRoom.append(stream.stream)
      case .aboveLastStream: above.append(stream.stream)
      case .malformed(let why, let count):
        let which =
          count == 1 ? "Stream \(stream.stream) is" : "Stream \(stream.stream), number \(count) of its kind, is"
        reports.append(
          StreamReport(
            kind: "malformedRequest", sentence: "\(which) not HTTP: \(why). It was reset with PROTOCOL_ERROR."))
      }
    }
    if !refused.isEmpty {
      let sentence = "\(named(refused)) above the stream limit: REFUSED_STREAM, nothing was processed."
      reports.append(StreamReport(kind: "streamRefused", sentence: sentence))
    }
    if !noRoom.isEmpty {
      let sentence = """
        \(named(noRoom)) refused (REFUSED_STREAM): the connection holds too many bytes of requests and unread answers; \
        nothing was processed.
        """
      reports.append(StreamReport(kind: "streamRefused", sentence: sentence))
    }
    if !above.isEmpty {
      let sentence = "\(named(above)) above the last stream that a GOAWAY named; nothing was processed."
      reports.append(StreamReport(kind: "streamNotProcessed", sentence: sentence))
    }
    return reports
  }

  private static func named(_ streams: [Int32]) -> String {
    let shown = streams.sorted().prefix(5).map(String.init).joined(separator: ", ")
    let more = streams.count > 5 ? " and \(streams.count - 5) others are" : ""
    return streams.count == 1 ? "Stream \(shown) is" : "Streams \(shown)\(more.isEmpty ? " are" : more)"
  }
}
