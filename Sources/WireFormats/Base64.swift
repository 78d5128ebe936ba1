/// Base64 with padding (RFC 4648 section 4), for bodies that are no text.
package enum Base64 {
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    let letters = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(letters) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }
}
