#pragma once
// The thread that draws the window must neither read files nor wait for other threads: each pause
// of it is one of the window. Debug builds end the program where it does.

namespace trainscope {

// The calling thread draws from now on.
void markInteractiveThread();

// Stands where a thread reads or may wait. `what`, for people: "runs a statement of a database".
#ifdef NDEBUG
inline void assertMayBlock(const char* /*what*/) { }
#else
void assertMayBlock(const char* what);
#endif

} // namespace trainscope
