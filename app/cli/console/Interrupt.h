#pragma once
// Handling of SIGINT, SIGTERM and SIGHUP: they ask the command to stop, and end it when it does
// not.

#include <atomic>
#include <filesystem>

namespace trainscope::cli {

// From now on a signal sets the flag, which long work asks for; whoever goes on regardless is ended
// with ExitStatus::Partly before 200 ms are over. Nothing that was kept is lost by that: databases
// and files are written so that they survive a kill. A second signal ends the program at once.
// SIGHUP stays ignored where it is, as under nohup. The flag must outlive the process's last
// signal; for the main program, once.
void endOnSignals(std::atomic<bool>& cancelled);

// A file that is not whole yet: while it lives, a signal that ends the program removes it. Not
// removed: files beyond 256 at a time, and paths longer than systems take.
class UnfinishedFile {
public:
    explicit UnfinishedFile(const std::filesystem::path& path);
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;
    ~UnfinishedFile();

private:
    int m_place = -1; // in the list of them; -1: in none
};

} // namespace trainscope::cli
