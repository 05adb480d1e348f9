#pragma once
// The interface of OpenSSL 3.0, also with newer headers.
#define OPENSSL_API_COMPAT 30000
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift imports no macros with casts or calls: what these few functions call are such macros.

/// Settings that hold for every connection: no renegotiation, compression, tickets or remembered
/// sessions, and buffers only while they hold something. Answers 1, or 0 without memory.
static inline int grove_tls_harden(SSL_CTX *context, int versionMin) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    // The chain is what its file has: else each handshake would search and verify one again.
    SSL_CTX_set_mode(
        context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_num_tickets(context, 0) == 1 &&
        SSL_CTX_set_min_proto_version(context, versionMin) == 1 &&
        SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}

/// Names of groups for the key exchange, separated by colons; 0 if the library lacks one.
static inline int grove_tls_groups(SSL_CTX *context, const char *names) {
    return SSL_CTX_set1_groups_list(context, names) == 1;
}

/// Adds a certificate to those that are sent after the first one; keeps its own reference.
static inline int grove_tls_add_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

/// What chooses the certificate by the name that a client asks for.
static inline void grove_tls_set_name_callback(
    SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

/// What sees the messages of a connection's handshake, and of its changes of keys.
static inline void grove_tls_set_message_callback(
    SSL *connection, void (*callback)(int, int, int, const void *, size_t, SSL *, void *),
    void *argument) {
    SSL_set_msg_callback(connection, callback);
    SSL_set_msg_callback_arg(connection, argument);
}

/// The name that a client asks for.
static inline int grove_tls_set_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name) == 1;
}

/// Prints a name in the form of RFC 2253 and answers the count of bytes, or -1.
static inline int grove_tls_print_name(BIO *output, const X509_NAME *name) {
    return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253);
}
