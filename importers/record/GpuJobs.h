#pragma once
// GpuJobs: the jobs that work on the GPUs of this node, by their processes. Processes are of one
// job where they are one user's and their environment names one (Slurm, torchrun, MPI and the
// like), where it may be read; else where they come from one process of the same user below a shell
// or a service. Whoever runs a process chooses its environment and command line: a megabyte of each
// is read.

#include "importers/record/GpuLibrary.h"
#include "importers/record/JobDescription.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainscope::record {

struct GpuJob {
    std::string key; // user and job; the same as long as it lives
    std::int64_t user = -1; // owner of the processes
    std::vector<int> gpus; // those that its processes work on, ascending
    std::vector<std::string> command; // the first process's, that the others come from
    Environment environment; // one of its processes'; empty: may not be read
    std::string name; // for people and files: "4711" of a launcher, else "python-4711"
};

// Takes processes of this program's user; of all users for root. In order of their keys; `root` has
// the kernel's proc. Processes that are not there (ended, or of another container) are left out.
std::vector<GpuJob> gpuJobs(
    const std::vector<GpuProcess>& processes, const std::string& root = "/");

} // namespace trainscope::record
