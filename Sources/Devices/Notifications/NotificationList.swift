import Timeline
import WireFormats

/// An app's notifications in the Notification Center of one device, and the badge on its icon.
package struct NotificationList: Hashable, Sendable {
  /// Maximum number of notifications in the list. Assumed: iOS has a limit too, but does not document it.
  package static let most = 64

  /// Newest first.
  package private(set) var shown: [ShownNotification] = []
  /// The notification that was tapped last; its app opens with it after it has left the list.
  private var tapped: ShownNotification?
  /// Memory charged for the list, in bytes.
  private(set) var memory = 0
  package private(set) var badge = 0
  private var nextNumber: UInt32 = 0

  package init() {}

  /// A push with a notification arrives. One guard per rule, in the phone's order.
  ///
  /// - Parameters:
  ///   - body: the bytes that the payload was parsed from.
  ///   - collapseID: `apns-collapse-id`.
  package mutating func receive(
    _ payload: NotificationPayload, body: ArraySlice<UInt8>, collapseID: String?, in here: NotificationContext,
    at now: Instant
  ) -> Presentation {
    var presentation = present(payload, body: body, collapseID: collapseID, in: here, at: now)
    presentation.remarks = payload.remarks
    return presentation
  }

  private mutating func present(
    _ payload: NotificationPayload, body: ArraySlice<UInt8>, collapseID: String?, in here: NotificationContext,
    at now: Instant
  ) -> Presentation {
    guard payload.hasVisible else { return Presentation(.nothing, .nothingToShow) }
    guard here.permission != .denied else { return Presentation(.nothing, .permissionDenied) }
    guard here.permission != .notDetermined else { return Presentation(.nothing, .notDetermined) }
    guard here.app != .frontHiding else { return Presentation(.nothing, .foreground) }
    let newBadge = here.permission.allowsSoundAndBadge ? payload.badge : nil
    let cleared = newBadge.map { setBadge($0) } ?? 0
    let (shape, cause) = Self.manner(of: payload, here)
    let sound =
      shape == .banner
      ? payload.sound?.played(from: here.sounds, allowsCritical: here.allowsCritical) : nil
    guard let alert = payload.alert?.rendered(here.strings, in: here.language), !alert.isEmpty else {
      var unseen = Presentation(.nothing, payload.isSilentWithoutText ? .nothingToShow : .noText)
      unseen.sound = sound
      unseen.badge = newBadge
      unseen.cleared = cleared
      return unseen
    }
    var presentation = Presentation(shape, cause)
    presentation.replaced = remove(collapseID: collapseID)
    let notification = ShownNotification(
      number: nextNumber, collapseID: collapseID, payload: Array(body), sound: sound,
      interruption: payload.interruption, at: now, isQuiet: shape == .listOnly)
    nextNumber &+= 1
    if shown.count >= Self.most { _ = forgetOldest() }
    // Observed: an updated notification moves to the top (WWDC16 707, as developers report it).
    shown.insert(notification, at: 0)
    memory += notification.memory
    presentation.number = notification.number
    presentation.alert = alert
    presentation.sound = sound
    presentation.badge = newBadge
    presentation.cleared = cleared
    presentation.lightsScreen = shape == .banner && !here.isScreenOn
    return presentation
  }

  /// The manner in which a notification that may be shown is presented. Only a banner makes a sound.
  private static func manner(
    of payload: NotificationPayload, _ here: NotificationContext
  ) -> (Presentation.Shape, PresentationCause) {
    guard here.permission != .provisional else { return (.listOnly, .provisional) }
    // Documented: a sound dictionary with `critical` is equivalent to the level. Assumed: without permission, both
    // count as active.
    let asksCritical = payload.interruption == .critical || payload.sound?.isCritical ?? false
    guard !asksCritical || !here.allowsCritical else { return (.banner, .critical) }
    guard payload.interruption != .passive else { return (.listOnly, .passive) }
    guard here.isFocusOn else { return (.banner, .shown) }
    guard payload.interruption == .timeSensitive, here.allowsTimeSensitive else { return (.listOnly, .focus) }
    return (.banner, .timeSensitive)
  }

  private mutating func remove(collapseID: String?) -> UInt32? {
    guard let collapseID, let index = shown.firstIndex(where: { $0.collapseID == collapseID }) else { return nil }
    return remove(at: index).number
  }

  private mutating func remove(at index: Int) -> ShownNotification {
    let notification = shown.remove(at: index)
    memory -= notification.memory
    return notification
  }

  /// Removes the oldest notification.
  mutating func forgetOldest() -> ShownNotification? { shown.isEmpty ? nil : remove(at: shown.count - 1) }

  // MARK: - Actions of the person and the app

  /// A notification of the list, or the one tapped last.
  package func notification(_ number: UInt32) -> ShownNotification? {
    shown.first { $0.number == number } ?? tapped.flatMap { $0.number == number ? $0 : nil }
  }

  /// The user taps a notification: it leaves the list, and the app opens with its payload.
  package mutating func tap(_ number: UInt32) -> ShownNotification? {
    guard let index = shown.firstIndex(where: { $0.number == number }) else { return nil }
    let notification = remove(at: index)
    tapped = notification
    return notification
  }

  /// Forgets the tapped notification after the app has read it.
  mutating func forgetTapped() { tapped = nil }

  /// The user clears the list. Assumed: the badge stays, because the app owns it.
  ///
  /// - Returns: how many notifications were removed.
  @discardableResult
  package mutating func clear() -> Int {
    defer {
      shown = []
      memory = 0
    }
    return shown.count
  }

  /// A push or the app sets the badge; a number below zero clears it.
  ///
  /// Observed: when the badge goes from a number to 0, iOS removes the app's notifications from the list
  /// (docs/behavior/notifications.md#badge-0).
  ///
  /// - Returns: how many notifications were removed.
  @discardableResult
  package mutating func setBadge(_ number: Int) -> Int {
    let isRemoved = badge > 0 && number <= 0
    badge = max(0, number)
    return isRemoved ? clear() : 0
  }
}
