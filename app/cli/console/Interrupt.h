#pragma once
// What SIGINT and SIGTERM do to a command: ask it to stop, and end it when it does not.

#include <atomic>

namespace trainscope::cli {

// From now on a signal sets the flag, which long work asks for; whoever goes on regardless is ended
// with ExitStatus::Partly before 200 ms are over. Nothing that was kept is lost by that: databases
// and files are written so that they survive a kill. A second signal ends the program at once. The
// flag must outlive the process's last signal; for the main program, once.
void endOnSignals(std::atomic<bool>& cancelled);

} // namespace trainscope::cli
