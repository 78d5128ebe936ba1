#pragma once
#include <features.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// OpenSSL's macros over SSL_ctrl and friends do not reach Swift; each is spelt out once here.

static inline void pushpit_ssl_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
  SSL_CTX_set_min_proto_version(context, lowest);
  SSL_CTX_set_max_proto_version(context, highest);
}
static inline void pushpit_ssl_ctx_prepare_server(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}
static inline EVP_PKEY *pushpit_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline long pushpit_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline int pushpit_err_reason(unsigned long error) { return ERR_GET_REASON(error); }

// Signing draws serial numbers and names of unfinished files from here.
#include <openssl/rand.h>
