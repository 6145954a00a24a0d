#pragma once
// JobDescription: which job, of which node, a program is a part of, as its launcher (Slurm,
// torchrun, MPI) says in the environment and on the command line; and what of both is kept with a
// recording. Texts that may be secrets (core/model/Secrets.h) are left out.
//
// GpuJob: the jobs that work on the GPUs of this node, by their processes. Processes are of one job
// where they are one user's and their environment names one, where it may be read; else where they
// come from one process of the same user below a shell or a service. Whoever runs a process chooses
// its environment and command line: a megabyte of each is read.

#include "importers/record/GpuLibrary.h"

namespace trainscope::record {

using Environment = std::map<std::string, std::string, std::less<>>;
Environment environmentOfThisProgram();

struct JobDescription {
    std::string job; // id that all nodes have; empty: no launcher names one
    std::string launcher; // "Slurm"
    std::string host;
    int node = 0; // among the job's, as far as it is said
    int nodes = 1;
    int localProcess = 0; // among several that the launcher started on this node
    std::string command; // as a shell would read it, without secrets
    std::map<std::string, std::string> environment; // for launcher and libraries, without secrets
};

JobDescription describeJob(
    const std::vector<std::string>& command, const Environment& environment, std::string host);

// As a shell would read it; "…" in place of what may be a secret.
std::string shownCommand(const std::vector<std::string>& command);

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
