#pragma once
#include <features.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// OpenSSL's macros over SSL_ctrl and friends do not reach Swift; each is spelt out once here.

static inline void pushpit_ssl_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
  SSL_CTX_set_min_proto_version(context, lowest);
  SSL_CTX_set_max_proto_version(context, highest);
}
// Without AUTO_RETRY, a read returns after each message that carries no data, so that a peer cannot hold a thread.
static inline void pushpit_ssl_ctx_prepare_server(SSL_CTX *context) {
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}
static inline void pushpit_ssl_ctx_prepare_client(SSL_CTX *context) {
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
}
static inline EVP_PKEY *pushpit_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *pushpit_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline long pushpit_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline SSL *pushpit_bio_ssl(BIO *bio) {
  SSL *ssl = NULL;
  BIO_get_ssl(bio, &ssl);
  return ssl;
}
static inline long pushpit_bio_connect_to(BIO *bio, const char *address) { return BIO_set_conn_hostname(bio, address); }
static inline int pushpit_bio_connect(BIO *bio, int seconds) { return BIO_do_connect_retry(bio, seconds, 20); }
static inline _Bool pushpit_bio_is_connected(BIO *bio) {
  BIO *socket = BIO_find_type(bio, BIO_TYPE_CONNECT);
  int descriptor = -1;
  return socket != NULL && BIO_get_fd(socket, &descriptor) >= 0 && ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_SSL;
}
static inline void pushpit_ssl_set_host(SSL *ssl, const char *name) { SSL_set_tlsext_host_name(ssl, name); }
static inline _Bool pushpit_err_is_system(unsigned long error) { return ERR_SYSTEM_ERROR(error); }
static inline int pushpit_err_reason(unsigned long error) { return ERR_GET_REASON(error); }

// Signing draws serial numbers and names of unfinished files from here.
#include <openssl/rand.h>
