import CCurl
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension CurlTransfer {
  /// Translates libcurl's result into the outcome of the call.
  func outcome(_ code: CURLcode, of open: OpenCall) -> Result<AppCall.Response, AppCall.Failure> {
    if code == CURLE_OK {
      guard isHeaderWhole else { return .failure(.init(.closedHalfWay, "\(open.target.authority) \(closed)")) }
      return .success(AppCall.Response(status: status, body: body, contentType: contentType))
    }
    let (kind, text) = verdict(code, open)
    return .failure(.init(kind, "\(open.target.authority) \(text)"))
  }

  private func verdict(_ code: CURLcode, _ open: OpenCall) -> (AppCall.Failure.Kind, String) {
    if let barred {
      return (.hostNotAllowed, "leads to \(barred), which is not on this machine; nothing was sent")
    }
    if let socketError {
      return (.other, "could not be called: no socket can be made (\(Self.text(socketError)); see ulimit -n)")
    }
    if isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
      return (.tooLarge, "answered with status \(status) and more than \(options.largestAnswer) bytes")
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return (.unknownHost, "has an unknown host name")
    case CURLE_COULDNT_CONNECT where systemError == ETIMEDOUT: return (.timedOut, "did not accept the connection")
    case CURLE_COULDNT_CONNECT:
      return (.refused, "refused the connection (\(systemError == 0 ? detail(code) : Self.text(systemError)))")
    case CURLE_OPERATION_TIMEDOUT: return (.timedOut, late(open))
    case CURLE_ABORTED_BY_CALLBACK where attempts > 1:
      return (.closedHalfWay, "closed a reused connection instead of answering; requests are never repeated")
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR: return (.closedHalfWay, closed)
    // Either the connection was cut, or invalid data was received.
    case CURLE_RECV_ERROR where systemError != 0 || open.target.isSecure: return (.closedHalfWay, closed)
    case CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
      return (.notHTTP, "answered with something that is not HTTP/1.1 (\(detail(code)))")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return (.tls, "and this machine could not agree on TLS (\(detail(code)))")
    default: return (.other, "could not be called (\(detail(code)))")
    }
  }

  private var closed: String {
    status == 0
      ? "closed the connection instead of answering"
      : "closed the connection in the middle of its answer (status \(status), \(body.count) bytes of the body)"
  }

  private func late(_ open: OpenCall) -> String {
    let time = DurationText.write(open.call.timeout)
    if attempts == 0 { return "did not accept the connection within \(time)" }
    if status == 0 { return "received the request and did not answer within \(time)" }
    return "answered only partially within \(time) (status \(status), \(body.count) bytes of the body)"
  }

  private func detail(_ code: CURLcode) -> String { explanation.isEmpty ? Libcurl.text(of: code) : explanation }

  private static func text(_ error: Int32) -> String { String(cString: strerror(error)) }
}
