#pragma once
// JobDescription: which job, of which node, a program is a part of, as its launcher (Slurm,
// torchrun, MPI) says in the environment and on the command line; and what of both is kept with a
// recording. Texts that may be secrets (core/model/Secrets.h) are left out.

#include <map>
#include <string>
#include <vector>

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

} // namespace trainscope::record
