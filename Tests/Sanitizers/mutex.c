/* Tells ThreadSanitizer what Swift's Mutex does where two threads meet.
 *
 * The quick way through a Mutex is compiled into its user, so ThreadSanitizer sees it. The slow way, where a thread waits for
 * another, is in libswiftSynchronization, which is built without the sanitizer: what was touched before an unlock there
 * seems to race with what is touched after the next lock. These stand in front of the three functions and say what they
 * do. Observed with Swift 6.3.1: a counter in a Mutex, raised by eight threads, is reported without this, and not with it.
 *
 * Loaded by LD_PRELOAD; without the sanitizer they only hand on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT bool TryLock(SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

static Lock *lock;
static TryLock *try_lock;
static Unlock *unlock;

__attribute__((constructor)) static void find(void) {
  lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  try_lock = (TryLock *)dlsym(RTLD_NEXT, TRY_LOCK);
  unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void seen_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool seen_try_lock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void seen_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void seen_lock(uint32_t thread, SELF void *mutex) {
  lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool seen_try_lock(SELF void *mutex) {
  bool is_locked = try_lock(mutex);
  if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void seen_unlock(SELF void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  unlock(mutex);
}
