#pragma once
#include <features.h>
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic and do not reach Swift.

static inline CURLcode pushpit_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode pushpit_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode pushpit_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode pushpit_curl_set_callback(
    CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode pushpit_curl_set_progress(
    CURL *handle, int (*value)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *context) {
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}
// libcurl copies the certificates.
static inline CURLcode pushpit_curl_set_authority(CURL *handle, const char *text, size_t count) {
  struct curl_blob blob = {(void *)text, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
}
static inline CURLcode pushpit_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode pushpit_curl_get_time(CURL *handle, CURLINFO info, double *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode pushpit_curl_get_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode pushpit_curl_set_open_socket(
    CURL *handle, curl_socket_t (*value)(void *, curlsocktype, struct curl_sockaddr *)) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode pushpit_curl_set_close_socket(CURL *handle, int (*value)(void *, curl_socket_t)) {
  return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode pushpit_curl_set_before_request(CURL *handle, int (*value)(void *, char *, char *, int, int)) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLMcode pushpit_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode pushpit_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode pushpit_curl_multi_set_socket_function(
    CURLM *multi, int (*value)(CURL *, curl_socket_t, int, void *, void *)) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode pushpit_curl_multi_set_timer_function(CURLM *multi, int (*value)(CURLM *, long, void *)) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
