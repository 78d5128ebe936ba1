import COpenSSL
import Signing

/// Keys and dates of the tests. Public halves only: no secret is in the repository, not even an invented one.
enum Fixtures {
  /// The P-256 key of RFC 6979 A.2.5.
  static let rfc6979 = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
    -----END PUBLIC KEY-----

    """
  /// The key with its point compressed.
  static let compressed = """
    -----BEGIN PUBLIC KEY-----
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Y=
    -----END PUBLIC KEY-----
    """
  /// The key with the curve spelled out instead of named.
  static let explicit = """
    -----BEGIN PUBLIC KEY-----
    MIIBSzCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAA
    AAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA////
    ///////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSd
    NgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5
    RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA
    //////////+85vqtpxeehPO5ysL8YyVRAgEBA0IABGD+1LolWp0xyWHrdMY1bWjA
    SbiSO2H6bOZpYi5g8p+2eQP+EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk=
    -----END PUBLIC KEY-----
    """
  /// The key with the last byte of its point changed: no point of the curve.
  static let offTheCurve = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimA==
    -----END PUBLIC KEY-----
    """
  /// The key and one byte more.
  static let overlong = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQA=
    -----END PUBLIC KEY-----
    """
  /// The point at infinity in place of a key: every signature could be made to fit it.
  static let infinity = """
    -----BEGIN PUBLIC KEY-----
    MBkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDAgAA
    -----END PUBLIC KEY-----
    """
  static let p384 = """
    -----BEGIN PUBLIC KEY-----
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAElSR3YpbuN/kbzLkJjAAjBmdo7g63JjLH
    alrTsAwBeBeP+/D0J/ZsvdQf1uN/8vcDHq1qHW8jO3gnk/LQwaaJctaXojevsaSa
    BXY/uE0f4DHORWEgM8oiq7/9RjFGAPHl
    -----END PUBLIC KEY-----
    """
  static let ed25519 = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAAKThl/qZzs6WSM+imdT5+9aDPynwA2DMub0SAb0CXZY=
    -----END PUBLIC KEY-----
    """

  /// A CA without name constraints, made by the openssl command; its key is gone.
  static let unlimited = """
    -----BEGIN CERTIFICATE-----
    MIIBfDCCASOgAwIBAgIUTdn2X4pankYrcAKDmldjU+R2fBYwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJVW5saW1pdGVkMB4XDTI2MTEyMTAxNDkxNVoXDTM2MTExODAx
    NDkxNVowFDESMBAGA1UEAwwJVW5saW1pdGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0D
    AQcDQgAEBP97mRghFSs2v+HKB0VA+Cu0PnOE+cT1DD63HtXiWPgdVk0X2c9dmYBn
    AkMYxiqjw8t9wZzMesgCFdlq+J6p5qNTMFEwHQYDVR0OBBYEFPTKR2fhxwMJJoDD
    aDAFL+BNsmWdMB8GA1UdIwQYMBaAFPTKR2fhxwMJJoDDaDAFL+BNsmWdMA8GA1Ud
    EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgU5agoNvAnVByEXGrzYdy1Ff/
    qVQP4WZObO2E/tPJo+8CIHJMtWrg5rIaz73VKZdxepud/vKU4RqvueEMY2fTEFUe
    -----END CERTIFICATE-----
    """

  /// A CA as earlier versions made them: it limits IP addresses too, and has no extended key usage.
  static let limitedByAddress = """
    -----BEGIN CERTIFICATE-----
    MIICDTCCAbOgAwIBAgIUQ1rx+qFjY5bY5fXAzqIRCg/m47AwCgYIKoZIzj0EAwIw
    LTEZMBcGA1UEAwwQUHVzaHBpdCBsb2NhbCBDQTEQMA4GA1UECgwHUHVzaHBpdDAg
    Fw0yNjExMjIwNTM3MjZaGA8yMDUxMDcxNDA1MzcyNlowLTEZMBcGA1UEAwwQUHVz
    aHBpdCBsb2NhbCBDQTEQMA4GA1UECgwHUHVzaHBpdDBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABFqRJdHdxMQSg42UgZ7trnhnivMn+es41NVWuDcfGJCF4IdFRgtY
    7WNMW+PEFY5DW7NiA4G8A9OYFx4tCx+UKu2jga4wgaswHQYDVR0OBBYEFP28yhue
    Pj4oKZiJbJODt7Js21kpMB8GA1UdIwQYMBaAFP28yhuePj4oKZiJbJODt7Js21kp
    MBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMEUGA1UdHgEB/wQ7
    MDmgNzALgglsb2NhbGhvc3QwEIIOcHVzaC5hcHBsZS5jb20wCoIIb2xkLnRlc3Qw
    CocIfwAAAP8AAAAwCgYIKoZIzj0EAwIDSAAwRQIhAK0ZKlJFoxhP7z00rnUAzM3K
    PUIbaVykWCWh6X3bd1RQAiBWhzf87N+UUM5LmIiZH0HtKjQAV2mJeNSd5MmoB430
    SQ==
    -----END CERTIFICATE-----
    """
  /// A CA that limits no IP address, but may sign for others than servers.
  static let withoutUsage = """
    -----BEGIN CERTIFICATE-----
    MIICFjCCAb2gAwIBAgIUB7gXxlHSg9XG506d1ha2bUIN9XwwCgYIKoZIzj0EAwIw
    LTEZMBcGA1UEAwwQUHVzaHBpdCBsb2NhbCBDQTEQMA4GA1UECgwHUHVzaHBpdDAg
    Fw0yNjExMjIwNTM3MjZaGA8yMDUxMDcxNDA1MzcyNlowLTEZMBcGA1UEAwwQUHVz
    aHBpdCBsb2NhbCBDQTEQMA4GA1UECgwHUHVzaHBpdDBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABFqRJdHdxMQSg42UgZ7trnhnivMn+es41NVWuDcfGJCF4IdFRgtY
    7WNMW+PEFY5DW7NiA4G8A9OYFx4tCx+UKu2jgbgwgbUwHQYDVR0OBBYEFP28yhue
    Pj4oKZiJbJODt7Js21kpMB8GA1UdIwQYMBaAFP28yhuePj4oKZiJbJODt7Js21kp
    MBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGME8GA1UdHgEB/wRF
    MEOgQTALgglsb2NhbGhvc3QwEIIOcHVzaC5hcHBsZS5jb20wCoIIb2xkLnRlc3Qw
    CYEHaW52YWxpZDAJhgdpbnZhbGlkMAoGCCqGSM49BAMCA0cAMEQCIEdjW/mL2kFG
    sSh16sMXfULhRmzXJpt7hGqjnB1rfnXHAiB1epeoxKdZiOYUMnCjmitykgUMMAd8
    GSKukY4dkYfUDQ==
    -----END CERTIFICATE-----
    """

  /// 2026-01-01 and ten years on, in Unix seconds.
  static let begin: Int64 = 1_767_225_600
  static let end: Int64 = 2_082_758_400
  static let between: Int64 = 1_800_000_000

  static func authority(names: [String] = []) throws -> CertificateAuthority {
    try CertificateAuthority.make(names: names, notBefore: begin, notAfter: end)
  }

  /// A fresh private key on another curve, as PKCS#8 in PEM.
  static func p8(onCurve curve: String) -> String {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil), let output = BIO_new(BIO_s_mem()) else { return "" }
    defer {
      EVP_PKEY_CTX_free(context)
      BIO_free_all(output)
    }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, curve) == 1,
      EVP_PKEY_generate(context, &key) == 1
    else { return "" }
    defer { EVP_PKEY_free(key) }
    PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil)
    var bytes: UnsafeMutablePointer<CChar>?
    let count = pushpit_bio_memory(output, &bytes)
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// `pem` with its last line but one left out, as a download cut short has it.
  static func cutShort(_ pem: String) -> String {
    var lines = pem.split(separator: "\n")
    lines.remove(at: lines.count - 2)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The sentence `body` fails with; nil when it does not fail.
  static func sentence<Value>(_ body: () throws(SigningFailure) -> Value) -> String? {
    do throws(SigningFailure) {
      _ = try body()
      return nil
    } catch {
      return error.description
    }
  }
}
