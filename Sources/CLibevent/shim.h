#pragma once
// First, or event2/event-config.h defines _GNU_SOURCE too late and this module's fd_set differs from Glibc's.
#include <features.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <event2/util.h>
