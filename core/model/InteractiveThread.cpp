#include "core/model/InteractiveThread.h"

#include <cstdio>
#include <cstdlib>

namespace trainscope {

namespace {

thread_local bool isInteractive = false;

} // namespace

void markInteractiveThread() {
    isInteractive = true;
}

#ifndef NDEBUG
void assertMayBlock(const char* what) {
    if (!isInteractive)
        return;
    (void)std::fprintf(stderr, "trainscope: the thread that draws the window %s.\n", what);
    std::abort();
}
#endif

} // namespace trainscope
