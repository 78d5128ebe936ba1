import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Writes a fault as `FaultReader` reads it, without its times, which are relative to when it was set.
package enum FaultWriter {
  package static func json(_ fault: Fault) -> JSONValue {
    var object = ObjectWriter()
    object.put("name", fault.label)
    object.put("when", condition(fault.condition))
    object.put("odds", odds(fault))
    object.put("limit", fault.limit)
    object.put("then", fault.consequence.json)
    return object.json
  }

  /// Nil if the fault always strikes.
  private static func odds(_ fault: Fault) -> JSONValue? {
    guard fault.odds.numerator < fault.odds.denominator else { return Optional.none }
    return .string(Percent.write(fault.odds.numerator, of: fault.odds.denominator))
  }

  /// Nil for a fault without a condition.
  private static func condition(_ condition: FaultCondition) -> JSONValue? {
    var object = ObjectWriter()
    object.put(membersOf: FilterReader.json(condition.filter))
    if condition.skip > 0 { object.put("skip", condition.skip) }
    if condition.every > 1 { object.put("every", condition.every) }
    object.put("opening", if: condition.trigger == .opening)
    object.put("idle", condition.idleTime)
    return object.isEmpty ? Optional.none : object.json
  }
}
