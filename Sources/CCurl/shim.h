#pragma once
// No checks of arguments by macros, which would stand between a call and the loaded library; no
// warnings about `CURLOPT_PROTOCOLS`, which libraries before 7.85 need.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <dlfcn.h>
#include <stddef.h>

/// The functions of a library that was loaded. The headers are only where types and numbers come
/// from: nothing of libcurl is linked.
typedef struct {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_version_info) *version_info;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_setopt) *multi_setopt;
    __typeof__(curl_multi_add_handle) *multi_add_handle;
    __typeof__(curl_multi_remove_handle) *multi_remove_handle;
    __typeof__(curl_multi_perform) *multi_perform;
    __typeof__(curl_multi_poll) *multi_poll;
    __typeof__(curl_multi_wakeup) *multi_wakeup;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
} grove_curl;

/// Finds the functions in a library that `dlopen` has loaded, and makes the library ready.
///
/// Answers `NULL`, or the name of the function that isn't there or didn't work. Not to be called
/// by two threads at once: libraries before 7.84 don't bear that.
static inline const char *grove_curl_find(grove_curl *curl, void *library) {
#define GROVE_CURL_FIND(name)                                                                      \
    curl->name = (__typeof__(curl->name))dlsym(library, "curl_" #name);                            \
    if (!curl->name) return "curl_" #name;
    GROVE_CURL_FIND(global_init)
    GROVE_CURL_FIND(version_info)
    GROVE_CURL_FIND(slist_append)
    GROVE_CURL_FIND(slist_free_all)
    GROVE_CURL_FIND(easy_init)
    GROVE_CURL_FIND(easy_setopt)
    GROVE_CURL_FIND(easy_strerror)
    GROVE_CURL_FIND(easy_cleanup)
    GROVE_CURL_FIND(multi_init)
    GROVE_CURL_FIND(multi_setopt)
    GROVE_CURL_FIND(multi_add_handle)
    GROVE_CURL_FIND(multi_remove_handle)
    GROVE_CURL_FIND(multi_perform)
    GROVE_CURL_FIND(multi_poll)
    GROVE_CURL_FIND(multi_wakeup)
    GROVE_CURL_FIND(multi_info_read)
    GROVE_CURL_FIND(multi_cleanup)
#undef GROVE_CURL_FIND
    return curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "curl_global_init";
}

/// The library's version as a number: 0x075801 is 7.88.1.
static inline unsigned int grove_curl_version(const grove_curl *curl) {
    return curl->version_info(CURLVERSION_NOW)->version_num;
}

/// The folder with the certificates that the system trusts; `NULL` where the library was built
/// without one.
static inline const char *grove_curl_capath(const grove_curl *curl) {
    const curl_version_info_data *info = curl->version_info(CURLVERSION_NOW);
    return info->age >= CURLVERSION_SEVENTH ? info->capath : NULL;
}

/// What a code of the library means.
static inline const char *grove_curl_error(const grove_curl *curl, CURLcode code) {
    return curl->easy_strerror(code);
}

/// Lists of texts. `append` copies the text; it answers `NULL` and leaves the list without memory.
static inline struct curl_slist *grove_curl_append(
    const grove_curl *curl, struct curl_slist *list, const char *text) {
    return curl->slist_append(list, text);
}

static inline void grove_curl_free(const grove_curl *curl, struct curl_slist *list) {
    curl->slist_free_all(list);
}

/// One request: the library's "easy handle".
static inline void *grove_curl_easy(const grove_curl *curl) { return curl->easy_init(); }

static inline void grove_curl_easy_cleanup(const grove_curl *curl, void *easy) {
    curl->easy_cleanup(easy);
}

// Swift imports no variadic function: one for each type of argument.

static inline CURLcode grove_curl_set_long(
    const grove_curl *curl, void *easy, CURLoption option, long value) {
    return curl->easy_setopt(easy, option, value);
}

/// The library copies the text; `NULL` means none.
static inline CURLcode grove_curl_set_text(
    const grove_curl *curl, void *easy, CURLoption option, const char *text) {
    return curl->easy_setopt(easy, option, text);
}

/// The list must stay valid as long as the handle.
static inline CURLcode grove_curl_set_list(
    const grove_curl *curl, void *easy, CURLoption option, struct curl_slist *list) {
    return curl->easy_setopt(easy, option, list);
}

/// The bytes that a request sends; the library copies them.
static inline CURLcode grove_curl_set_body(
    const grove_curl *curl, void *easy, const void *bytes, size_t count) {
    CURLcode code =
        curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code != CURLE_OK) return code;
    return curl->easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

/// Where the library says what went wrong: `CURL_ERROR_SIZE` bytes that stay valid as long as the
/// handle.
static inline CURLcode grove_curl_set_error(const grove_curl *curl, void *easy, char *buffer) {
    return curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

/// Allows `http` and `https` and nothing else.
static inline CURLcode grove_curl_set_protocols(const grove_curl *curl, void *easy) {
    // CURLOPT_PROTOCOLS_STR by its number, because headers before 7.85 don't have it. Libraries
    // before it answer that they don't know it.
    CURLcode code =
        curl->easy_setopt(easy, (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 318), "http,https");
    if (code != CURLE_UNKNOWN_OPTION) return code;
    return curl->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

/// What the library calls for one request, each time with `context`: with parts of the body, with
/// lines of the head, before a socket is made, and before a request is written on a connection.
static inline CURLcode grove_curl_set_callbacks(
    const grove_curl *curl, void *easy, curl_write_callback body, curl_write_callback head,
    curl_opensocket_callback socket, curl_prereq_callback ready, void *context) {
    CURLcode code = curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, socket);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_PREREQFUNCTION, ready);
    if (code == CURLE_OK) code = curl->easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return code;
}

/// The address that a socket is wanted for. It goes on behind the structure, which has room for
/// the shortest kind only.
static inline const struct sockaddr *grove_curl_address(const struct curl_sockaddr *wanted) {
    return &wanted->addr;
}

/// Many requests at once, and the connections that they share: the library's "multi handle".
static inline void *grove_curl_multi(const grove_curl *curl, long connectionsMax) {
    CURLM *multi = curl->multi_init();
    if (multi) curl->multi_setopt(multi, CURLMOPT_MAXCONNECTS, connectionsMax);
    return multi;
}

static inline CURLMcode grove_curl_multi_add(const grove_curl *curl, void *multi, void *easy) {
    return curl->multi_add_handle(multi, easy);
}

static inline CURLMcode grove_curl_multi_remove(const grove_curl *curl, void *multi, void *easy) {
    return curl->multi_remove_handle(multi, easy);
}

/// Does what can be done without waiting.
static inline CURLMcode grove_curl_multi_perform(const grove_curl *curl, void *multi) {
    int running = 0;
    return curl->multi_perform(multi, &running);
}

/// Waits until something can be done, at most so long.
static inline CURLMcode grove_curl_multi_poll(
    const grove_curl *curl, void *multi, int milliseconds) {
    return curl->multi_poll(multi, NULL, 0, milliseconds, NULL);
}

/// Ends a wait, or the next one if nobody waits. The one call that may come from any thread.
static inline CURLMcode grove_curl_multi_wakeup(const grove_curl *curl, void *multi) {
    return curl->multi_wakeup(multi);
}

/// The next request that has ended, and how; `NULL` if there is none.
static inline void *grove_curl_multi_ended(
    const grove_curl *curl, void *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl->multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

static inline void grove_curl_multi_cleanup(const grove_curl *curl, void *multi) {
    curl->multi_cleanup(multi);
}
