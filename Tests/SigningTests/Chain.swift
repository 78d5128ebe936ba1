import COpenSSL

/// A client's judgement of a server's certificate, by OpenSSL's strictest reading.
enum Chain {
  /// X509_V_OK or the X509_V_ERR_ that a client would report.
  static func verdict(_ leafPEM: String, for host: String, trusting authorityPEM: String, at seconds: Int64) -> Int32 {
    let leaf = certificate(leafPEM)
    let authority = certificate(authorityPEM)
    let store = X509_STORE_new()
    let context = X509_STORE_CTX_new()
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      X509_free(authority)
      X509_free(leaf)
      ERR_clear_error()
    }
    X509_STORE_add_cert(store, authority)
    X509_STORE_CTX_init(context, store, leaf, nil)
    let wishes = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_flags(wishes, UInt(X509_V_FLAG_X509_STRICT))
    X509_VERIFY_PARAM_set_purpose(wishes, X509_PURPOSE_SSL_SERVER)
    X509_VERIFY_PARAM_set_time(wishes, Int(seconds))
    if X509_VERIFY_PARAM_set1_ip_asc(wishes, host) != 1 { X509_VERIFY_PARAM_set1_host(wishes, host, 0) }
    X509_verify_cert(context)
    return X509_STORE_CTX_get_error(context)
  }

  static func certificate(_ pem: String) -> OpaquePointer? {
    let input = BIO_new(BIO_s_mem())
    defer { BIO_free_all(input) }
    BIO_write(input, pem, Int32(pem.utf8.count))
    return PEM_read_bio_X509(input, nil, nil, nil)
  }
}
