#include "core/model/InteractiveThread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace trainscope {

namespace {

thread_local bool isMarked = false;
std::atomic<bool> isThereOne = false;

} // namespace

void markInteractiveThread() {
    isMarked = true;
    isThereOne = true;
}

bool isInteractiveThread() {
    return isMarked;
}

void giveWayToInteractiveThread() {
    if (!isThereOne)
        return;
    constexpr int kNicer = 10; // a tenth of its weight
    // Linux counts niceness by thread. A system that refuses shares evenly.
    const auto thread = static_cast<id_t>(gettid());
    (void)setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + kNicer);
}

#ifndef NDEBUG
void assertMayBlock(const char* what) {
    if (!isMarked)
        return;
    (void)std::fprintf(stderr, "trainscope: the thread that draws the window %s.\n", what);
    std::abort();
}
#endif

} // namespace trainscope
