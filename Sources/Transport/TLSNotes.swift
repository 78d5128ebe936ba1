import COpenSSL

/// Notes of OpenSSL's callbacks about one connection.
struct TLSNotes {
  typealias Pointer = UnsafeMutablePointer<TLSNotes>

  /// True if the client offered protocols, but none of ours.
  var offeredOthers = false
  /// Messages and alerts since the last data, such as KeyUpdate. OpenSSL handles them within a read, and answers some,
  /// so no limit on frames or bytes counts them.
  var messages = 0
  /// Decides about the client's certificate; nil to accept every one.
  var judge: CertificateAlert.Judge?
  /// The alert by which the judge ended the handshake.
  var alert: CertificateAlert?

  /// BoringSSL's limit on KeyUpdates without data between them.
  static let most = 32
  /// Index of OpenSSL's "application data".
  private static let index: Int32 = 0

  /// Memory that must outlive `ssl`.
  static func make(for ssl: OpaquePointer) -> Pointer {
    let notes = Pointer.allocate(capacity: 1)
    notes.initialize(to: TLSNotes())
    SSL_set_ex_data(ssl, index, notes)
    return notes
  }

  static func free(_ notes: Pointer) {
    notes.deinitialize(count: 1)
    notes.deallocate()
  }

  static func of(_ ssl: OpaquePointer?) -> Pointer? {
    SSL_get_ex_data(ssl, index)?.assumingMemoryBound(to: TLSNotes.self)
  }

  /// Counts messages on the connections of a context. Records with data cost nothing, which OpenSSL's message callback
  /// would be called for.
  static func count(on context: OpaquePointer) {
    SSL_CTX_set_info_callback(context) { ssl, event, _ in
      guard event & (SSL_CB_LOOP | SSL_CB_ALERT) != 0, let notes = TLSNotes.of(ssl) else { return }
      if event & SSL_CB_ALERT == 0 {
        // Called for each state that is left; those of our own answers do not count.
        switch SSL_get_state(ssl) {
        case TLS_ST_OK, TLS_ST_SW_KEY_UPDATE, TLS_ST_CW_KEY_UPDATE: return
        default: break
        }
      }
      notes.pointee.messages += 1
    }
  }
}
