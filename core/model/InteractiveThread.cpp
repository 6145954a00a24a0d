#include "core/model/InteractiveThread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace trainscope {

namespace {

thread_local bool isMarked = false;
std::atomic<id_t> drawing = 0; // the thread; 0: none

} // namespace

void markInteractiveThread() {
    isMarked = true;
    drawing = static_cast<id_t>(gettid());
}

bool isInteractiveThread() {
    return isMarked;
}

void giveWayToInteractiveThread() {
    const id_t window = drawing;
    if (window == 0)
        return;
    constexpr int kNicer = 10; // a tenth of its weight
    // Linux counts niceness by thread, and a thread begins with that of its maker. A system that
    // refuses shares evenly.
    (void)setpriority(
        PRIO_PROCESS, static_cast<id_t>(gettid()), getpriority(PRIO_PROCESS, window) + kNicer);
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
