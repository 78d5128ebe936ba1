import APNs
import Devices
import Simulation
import WireFormats

/// An event as a line of JSON, as `replay` writes it.
package enum EventText {
  package static func line(_ event: Event, _ world: World) -> String {
    let value = EventJSON.value(event, world.names(for: [event]))
    guard case .push(let record) = event else { return value.text }
    // Among others a push is known by its id; standing alone it says what became of it.
    return JSONValue.object(
      (value.members ?? []) + [
        .init("sequence", .integer(Int64(clamping: record.sequence))),
        .init("connection", .integer(Int64(clamping: record.stream.connection.number))),
        .init("stream", .integer(Int64(record.stream.number))), .init("status", JSONValue(record.answer.status)),
        .init("sent", .string(record.firstSent.name)),
        .init("reason", JSONValue(record.answer.refusal?.reason.rawValue)),
        .init("device", JSONValue(record.address?.device.text)),
        .init("fate", .string(record.firstFate.words)), .init("outcome", JSONValue(record.firstFate.outcome)),
        .init("causes", .array(record.firstFate.causes.map { .string($0) })),
        .init("fault", JSONValue(record.fault)),
      ]
    ).text
  }
}
