// BoringSSLClient CA-FILE HOST PORT PATH [NAME:VALUE ...] < BODY
//
// Sends one push as APNSwift does: swift-nio-ssl verifies the server's certificate against CA-FILE alone, and HTTP/2
// is agreed by ALPN. Prints one line of JSON: what was answered, or why nothing was. Exits with 0 when there was an
// answer.
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

struct NoAnswer: Error, CustomStringConvertible { let description: String }

/// Reports how the handshake ends: the protocol agreed by ALPN, or the first error.
final class Witness: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let agreed: EventLoopPromise<String>

  init(_ agreed: EventLoopPromise<String>) { self.agreed = agreed }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let name) = event as? TLSUserEvent { agreed.succeed(name ?? "") }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    agreed.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    agreed.fail(NoAnswer(description: "the server closed the connection during the handshake"))
    context.fireChannelInactive()
  }
}

struct Answer: Codable {
  var alpn = ""
  var status = ""
  var id: String?
  var body = ""
}

/// Gathers what one stream is answered.
final class Reader: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  private let done: EventLoopPromise<Answer>
  private var answer = Answer()

  init(_ done: EventLoopPromise<Answer>) { self.done = done }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let payload):
      answer.status = payload.headers.first(name: ":status") ?? ""
      answer.id = payload.headers.first(name: "apns-id")
      if payload.endStream { done.succeed(answer) }
    case .data(let payload):
      if case .byteBuffer(let buffer) = payload.data { answer.body += String(buffer: buffer) }
      if payload.endStream { done.succeed(answer) }
    case .rstStream(let code): done.fail(NoAnswer(description: "the stream was reset: \(code)"))
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { done.fail(error) }

  func channelInactive(context: ChannelHandlerContext) {
    done.fail(NoAnswer(description: "the stream ended without an answer"))
  }
}

func push(_ headers: HPACKHeaders, _ body: [UInt8], to host: String, port: Int, trusting authority: String) async throws
  -> Answer
{
  var configuration = TLSConfiguration.makeClientConfiguration()
  configuration.trustRoots = .file(authority)
  configuration.certificateVerification = .fullVerification
  configuration.applicationProtocols = ["h2"]
  let context = try NIOSSLContext(configuration: configuration)
  let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
  let loop = MultiThreadedEventLoopGroup.singleton.any()
  let agreed = loop.makePromise(of: String.self)
  let (channel, streams) = try await ClientBootstrap(group: loop).connect(host: host, port: port) { channel in
    channel.eventLoop.makeCompletedFuture {
      // An address is no server name; swift-nio-ssl then compares the certificate with the peer's address.
      let tls = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandlers([tls, Witness(agreed)])
      let streams = try pipeline.configureHTTP2Pipeline(
        mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
      ) { $0.close() }
      return (channel, streams)
    }
  }
  let name = try await agreed.futureResult.get()
  guard name == "h2" else { throw NoAnswer(description: "ALPN chose \"\(name)\", not h2") }
  let done = loop.makePromise(of: Answer.self)
  let stream = try await streams.createStreamChannel { stream in
    stream.eventLoop.makeCompletedFuture { try stream.pipeline.syncOperations.addHandler(Reader(done)) }
  }.get()
  let head = HTTP2Frame.FramePayload.headers(.init(headers: headers))
  let content = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))
  stream.write(head, promise: nil)
  stream.writeAndFlush(content, promise: nil)
  var answer = try await done.futureResult.get()
  answer.alpn = name
  try await channel.close()
  return answer
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let port = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: BoringSSLClient CA-FILE HOST PORT PATH [NAME:VALUE ...] < BODY\n".utf8))
  exit(2)
}
var headers = HPACKHeaders([
  (":method", "POST"), (":scheme", "https"), (":authority", "\(arguments[2]):\(port)"), (":path", arguments[4]),
])
for field in arguments.dropFirst(5) {
  let parts = field.split(separator: ":", maxSplits: 1)
  if parts.count == 2 { headers.add(name: String(parts[0]), value: String(parts[1])) }
}
let body = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
let encoder = JSONEncoder()
encoder.outputFormatting = .sortedKeys
do {
  let answer = try await push(headers, body, to: arguments[2], port: port, trusting: arguments[1])
  print(String(decoding: try encoder.encode(answer), as: UTF8.self))
} catch {
  print(String(decoding: try encoder.encode(["error": String(describing: error)]), as: UTF8.self))
  exit(1)
}
