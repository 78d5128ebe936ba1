import WireFormats

/// The OpenAPI document of the admin API, made from the descriptions of its routes.
package struct OpenAPIDocument {
  /// The schemas that others refer to, in the order in which they are first needed.
  var schemas: [(name: String, schema: JSONValue)] = []
  /// The answers that routes share.
  var answers: [JSONValue.Member] = []

  private init() {}

  /// The document as YAML.
  package static let text = YAMLText(value).text

  /// The document as JSON.
  package static let value: JSONValue = {
    var document = OpenAPIDocument()
    let paths = document.paths
    return [
      "openapi": "3.1.0", "info": info,
      "servers": [["url": "http://127.0.0.1:2190", "description": "The default admin port."]],
      "tags": .array(Route.Tag.allCases.map { ["name": .string($0.rawValue), "description": .string($0.meaning)] }),
      "paths": paths,
      "components": [
        "responses": .object(document.answers),
        "schemas": .object(document.schemas.map { .init($0.name, $0.schema) }),
      ],
    ]
  }()

  private var paths: JSONValue {
    mutating get {
      var paths: [JSONValue.Member] = []
      for route in Router.routes {
        let operation = JSONValue.Member(route.method.lowercased(), route.json(&self))
        let place = paths.firstIndex { $0.key == route.path } ?? paths.count
        if place == paths.count { paths.append(.init(route.path, [:])) }
        paths[place] = .init(route.path, .object((paths[place].value.members ?? []) + [operation]))
      }
      return .object(paths)
    }
  }

  private static let info: JSONValue = [
    "title": "Pushpit admin API", "version": "1",
    "summary": "Inspect and control a local APNs server and its virtual iPhones.", "description": .string(about),
  ]
  private static let about = """
    Pushpit is a local APNs server with a fleet of virtual iPhones. This API shows what happened to your backend's
    pushes, and performs actions on the phones: delete an app, lose the connection, end a Live Activity, let eight
    hours pass. One order can be for one phone or for many.

    - Plain HTTP/1.1 and JSON. There is no password: the server listens on loopback, answers only to the names
      localhost, 127.0.0.1, [::1], the address it is bound to and the names given for the certificate (`--name`), and
      rejects requests from pages of other origins. It sends no CORS headers.
    - Every error has the same format, `{"error": "a sentence", "code": "invalid_value", "field": "os", "path":
      "where.os"}`; `field` and `path` are omitted if the error is not about a single parameter, member or header.
      Requests that are not valid HTTP/1.1 get the same format of error, and the connection is closed: a malformed
      head or one over 16 KB, a line that ends without CR, a header that continues on the next line, two
      Content-Lengths, a chunk whose size is not hexadecimal digits, a NUL byte (400), a body over 1 MB (413), an
      unknown method or Transfer-Encoding (501).
    - Three things that HTTP/1.1 allows are not read, and refused in the same way: an extension of a chunk without a
      space before it (501), a tab before the value of Transfer-Encoding (501), and an empty line before a request
      (400).
    - A POST with a body needs `content-type: application/json`; any other type is answered 415, even without a body.
      Together with `Origin`, which must name the scheme, name and port of `Host`, and `Sec-Fetch-Site` this protects
      against web pages of other sites and of other ports of this machine.
    - At most 128 connections can be open at a time, fewer if the process may have fewer than 1,024 file descriptors:
      the others are for pushes. Further connections are answered 503 `unavailable` and closed, without carrying out
      any request, and are listed in the troubles.
    - A client that closes its connection, or its side of it, no longer waits: what it waited for ends, and an order
      that has not begun is not carried out. While it waits, it may send at most 32 KB of further requests.
    - Lists have pages of `limit` rows. While `next` is a string there may be more: pass it as `cursor`. A page may
      have fewer rows than its limit, or none, and still have a `next`.
    - Unknown parameters and members are rejected.
    - Times are RFC 3339 in UTC with milliseconds, by the world's clock (see `/v1/clock`), which may be ahead of yours.
    - HEAD is supported wherever GET is.
    """
}
