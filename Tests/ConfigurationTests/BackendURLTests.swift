import Configuration
import Testing

@Suite("The URL of a backend")
struct BackendURLTests {
  @Test(
    "a URL with a host, and with or without a port and a path, is valid",
    arguments: [
      "http://127.0.0.1:8080", "https://localhost", "http://[::1]:8080/a?b#c", "http://user:word@a.example/",
      "http://a_b:1",
    ])
  func valid(text: String) { #expect(BackendURL.isValid(text)) }

  @Test(
    "a text without a host, or with a port that cannot be one, is not valid",
    arguments: [
      "", "http://", "http:///path", "http://:80", "http://a:", "http://a:0", "http://a:65536", "http://a:+1",
      "http://a:b",
      "http://a b", "http://a\u{1}", "http://[::1", "http://[]:80", "http://[::1]80", "ftp://a", "127.0.0.1:80",
      "http://a@",
      "http://a:1:2", "http://é",
    ])
  func invalid(text: String) { #expect(!BackendURL.isValid(text)) }
}
