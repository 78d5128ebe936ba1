import CCurl

/// What must be true of the process before its first call.
enum Libcurl {
  static let isPrepared = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  static func text(of code: CURLcode) -> String {
    curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl's error \(code.rawValue)"
  }
}
