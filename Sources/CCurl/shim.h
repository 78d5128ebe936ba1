#pragma once
#include <features.h>
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic and do not reach Swift.

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
static inline CURLcode pushpit_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode pushpit_curl_get_time(CURL *handle, CURLINFO info, double *value) {
  return curl_easy_getinfo(handle, info, value);
}
