// See certificate.h.
#include "tests/support/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/assert.h"

static void write_pem(const char *path, const X509 *certificate, const EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");
    ASSERT(file != NULL);
    int ok = certificate != NULL ? PEM_write_X509(file, certificate)
                                 : PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    ASSERT(ok == 1);
    fclose(file);
}

static X509 *make(EVP_PKEY *key)
{
    X509 *certificate = X509_new();
    ASSERT(certificate != NULL);
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    int signed_bytes = X509_sign(certificate, key, EVP_sha256());
    ASSERT(signed_bytes > 0);
    return certificate;
}

tls_files *certificate_open(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    ASSERT(key != NULL);
    X509 *certificate = make(key);
    char folder[] = "/tmp/carom-tls-XXXXXX";
    ASSERT(mkdtemp(folder) != NULL);
    char paths[2][64];
    snprintf(paths[0], sizeof paths[0], "%s/c.pem", folder);
    snprintf(paths[1], sizeof paths[1], "%s/k.pem", folder);
    write_pem(paths[0], certificate, NULL);
    write_pem(paths[1], NULL, key);
    tls_files *files = NULL;
    error err;
    status s = tls_files_open(paths[0], paths[1], &files, &err);
    ASSERT(s == STATUS_OK);
    (void)unlink(paths[0]);
    (void)unlink(paths[1]);
    (void)rmdir(folder);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return files;
}
