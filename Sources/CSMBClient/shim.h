// SPDX-License-Identifier: Apache-2.0
// The functions of a context of libsmbclient are pointers that getters return. The functions here call them.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <libsmbclient.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/// The name and the password that `csmb_new` sets. Domain, name and password are at most 255 bytes.
struct csmb_credentials {
    char domain[256], user[256], password[256];
};

static inline void csmb_give_credentials(SMBCCTX *context, const char *server, const char *share, char *domain, int domain_room,
                                         char *user, int user_room, char *password, int password_room) {
    const struct csmb_credentials *known = smbc_getOptionUserData(context);
    if (known->domain[0]) strncpy(domain, known->domain, (size_t)domain_room - 1);
    strncpy(user, known->user, (size_t)user_room - 1);
    strncpy(password, known->password, (size_t)password_room - 1);
}

/// A context for SMB 2.0.2 to 3.1.1, or NULL with `errno` set. `credentials` must outlive it.
static inline SMBCCTX *csmb_new(struct csmb_credentials *credentials, int timeout_milliseconds) {
    SMBCCTX *context = smbc_new_context();
    if (!context) return NULL;
    smbc_setOptionUserData(context, credentials);
    smbc_setFunctionAuthDataWithContext(context, csmb_give_credentials);
    smbc_setTimeout(context, timeout_milliseconds);
    smbc_setOptionProtocols(context, "SMB2_02", "SMB3_11");
    smbc_setOptionNoAutoAnonymousLogin(context, credentials->user[0] != 0);
    smbc_setOptionUseKerberos(context, 1);
    smbc_setOptionFallbackAfterKerberos(context, 1);
    smbc_setOptionDebugToStderr(context, 1);
    smbc_setDebug(context, 0);
    return smbc_init_context(context);
}

static inline SMBCFILE *csmb_open(SMBCCTX *context, const char *url) { return smbc_getFunctionOpen(context)(context, url, O_RDONLY, 0); }

static inline SMBCFILE *csmb_open_folder(SMBCCTX *context, const char *url) { return smbc_getFunctionOpendir(context)(context, url); }

/// The name of the next entry, valid until the next call; NULL at the end.
static inline const char *csmb_next_name(SMBCCTX *context, SMBCFILE *folder) {
    struct smbc_dirent *entry = smbc_getFunctionReaddir(context)(context, folder);
    return entry ? entry->name : NULL;
}

static inline int csmb_close_folder(SMBCCTX *context, SMBCFILE *folder) { return smbc_getFunctionClosedir(context)(context, folder); }

static inline int csmb_state(SMBCCTX *context, SMBCFILE *file, struct stat *state) {
    return smbc_getFunctionFstat(context)(context, file, state);
}

static inline int64_t csmb_seek(SMBCCTX *context, SMBCFILE *file, int64_t offset) {
    return smbc_getFunctionLseek(context)(context, file, offset, SEEK_SET);
}

static inline ssize_t csmb_read(SMBCCTX *context, SMBCFILE *file, void *buffer, size_t count) {
    return smbc_getFunctionRead(context)(context, file, buffer, count);
}
