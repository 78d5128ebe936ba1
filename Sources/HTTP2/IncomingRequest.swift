import WireFormats

/// A request that has arrived whole, and the stream its answer goes to.
package struct IncomingRequest: Sendable {
  package let stream: Int32
  package let request: HTTPRequest

  package init(stream: Int32, request: HTTPRequest) {
    self.stream = stream
    self.request = request
  }
}
