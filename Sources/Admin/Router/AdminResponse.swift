import Grammar
import Simulation
import WireFormats

/// An answer of the admin API; the transport adds length and connection headers.
package struct AdminResponse: Sendable {
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package let status: Int
  package let contentType: String
  package private(set) var body: [UInt8]
  /// Headers besides the content type.
  package private(set) var headers: [Header]
  /// True if the answer must wait until the world has reached the clock's target; until then, the clock's state keeps
  /// changing. Then ask `AdminService.clock` for the answer.
  package var awaitsClock = false
  /// The viewer who gets the body, if the body has no end; `EventStream` writes it.
  package var viewer: EventViewer?
  /// The lines of the body, if it is sent portion by portion.
  package var lines: TokenLines?
  /// The expectations that are not met yet, if the client waits for them: pass them to `AdminService.verify` again.
  package var waits: LedgerWait?
  /// The rest of the work, if it may take long or wait for others; nothing else of the response counts then.
  package var apart: Apart?

  /// The rest of work that takes too long for a loop: some of it is done by each call, on another thread. Nothing
  /// else of the response counts then.
  package var rest: Rest?

  package typealias Rest = @Sendable (_ look: @escaping AdminService.Look, _ hold: AdminService.Hold) -> AdminResponse

  /// Work to be done on a separate thread.
  ///
  /// - Parameters:
  ///   - hold: as for `AdminService.answer`.
  ///   - isAwaited: asked while the work waits; it is given up when this returns false.
  package typealias Apart =
    @Sendable (_ isAwaited: @escaping StillAwaited, _ hold: AdminService.Hold) -> AdminResponse

  package init(status: Int, contentType: String, body: [UInt8], headers: [Header] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  /// The response of a request whose work is done apart.
  static func apart(_ work: @escaping Apart) -> AdminResponse {
    var response = AdminResponse(status: 202, contentType: "text/plain", body: [])
    response.apart = work
    return response
  }

  /// The response of a request of which much is left.
  static func rest(_ work: @escaping Rest) -> AdminResponse {
    var response = AdminResponse(status: 202, contentType: "text/plain", body: [])
    response.rest = work
    return response
  }

  static func json(_ value: JSONValue, status: Int = 200, headers: [Header] = []) -> AdminResponse {
    AdminResponse(
      status: status, contentType: "application/json", body: Array((value.text + "\n").utf8), headers: headers)
  }

  /// The answer to every request that deletes something: the names of what is deleted.
  ///
  /// - Parameter others: further members.
  static func deleted(_ names: [String], _ others: [JSONValue.Member] = []) -> AdminResponse {
    .json(.object([.init("deleted", .array(names.map { .string($0) }))] + others))
  }

  static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> AdminResponse {
    AdminResponse(status: 200, contentType: contentType, body: Array(text.utf8))
  }

  /// The answer to HEAD (RFC 9110 section 9.3.2).
  var withoutBody: AdminResponse {
    var response = self
    response.body = []
    response.viewer = nil
    response.lines = nil
    response.waits = nil
    return response
  }

  /// With the headers of every answer: not cacheable, and never taken for another type.
  package var sealed: AdminResponse {
    var response = self
    response.headers += [Header("cache-control", "no-store"), Header("x-content-type-options", "nosniff")]
    return response
  }
}
