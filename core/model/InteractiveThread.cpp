#include "core/model/InteractiveThread.h"

#include <cstdio>
#include <cstdlib>

namespace trainscope {

namespace {

thread_local bool isMarked = false;

} // namespace

void markInteractiveThread() {
    isMarked = true;
}

bool isInteractiveThread() {
    return isMarked;
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
