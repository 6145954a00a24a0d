#pragma once
// UntilSignalled: waiting until somebody asks this program to end (SIGINT, SIGTERM, SIGHUP), for
// what has no command of its own whose end ends it.

#include <chrono>

namespace trainscope::app {

class UntilSignalled {
public:
    UntilSignalled(); // one at a time; while it lives such a signal does not end the program
    UntilSignalled(const UntilSignalled&) = delete;
    UntilSignalled& operator=(const UntilSignalled&) = delete;
    ~UntilSignalled();

    // For `period` at most; true as soon as it was asked, and from then on.
    bool wait(std::chrono::milliseconds period);
};

} // namespace trainscope::app
