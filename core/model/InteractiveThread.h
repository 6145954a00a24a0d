#pragma once
// The thread that draws the window must not read or write files, nor wait for other threads:
// each pause of it is one of the window. Debug builds end the program where it does.
//
// Accepted on it: settings (QSettings) and the user's standard folders (QStandardPaths), which are
// small files; and what the program waits for at its end, so that nothing is lost.

namespace trainscope {

// The calling thread draws from now on.
void markInteractiveThread();
// True on a thread that draws; work that would block it must go to another thread.
[[nodiscard]] bool isInteractiveThread();
// The calling thread leaves the processor to the one that draws, where there is one and both want
// it: long work beside the window must not slow its frames. Not taken back.
void giveWayToInteractiveThread();

// Stands where a thread reads or may wait. `what`, for people: "runs a statement of a database".
#ifdef NDEBUG
inline void assertMayBlock(const char* /*what*/) { }
#else
void assertMayBlock(const char* what);
#endif

} // namespace trainscope
