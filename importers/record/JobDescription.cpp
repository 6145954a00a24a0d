#include "importers/record/JobDescription.h"

#include "core/model/Secrets.h"
#include "core/model/WholeNumber.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace trainscope::record {

namespace {

// The variables in which a launcher says what is asked here; empty: it does not.
struct Launcher {
    std::string_view name;
    std::string_view job;
    std::string_view node;
    std::string_view nodes;
    std::string_view process; // the job's
    std::string_view localProcess;
    std::string_view processes; // the job's
    std::string_view localProcesses;
};
constexpr auto kLaunchers = std::to_array<Launcher>({
    {"Slurm", "SLURM_JOB_ID", "SLURM_NODEID", "SLURM_NNODES", "", "SLURM_LOCALID", "", ""},
    {"torchrun", "TORCHELASTIC_RUN_ID", "GROUP_RANK", "GROUP_WORLD_SIZE", "", "LOCAL_RANK", "", ""},
    {"Open MPI", "PMIX_NAMESPACE", "", "", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPI", "PMI_ID", "", "", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"PBS", "PBS_JOBID", "PBS_NODENUM", "", "", "", "", ""},
    {"LSF", "LSB_JOBID", "", "", "", "", "", ""},
});

// Options of torchrun that say the same, where it is the command.
constexpr std::array<std::string_view, 2> kNodeOptions{"--node_rank", "--node-rank"};
constexpr std::array<std::string_view, 1> kNodesOptions{"--nnodes"};
constexpr std::array<std::string_view, 2> kJobOptions{"--rdzv_id", "--rdzv-id"};

constexpr std::array<std::string_view, 22> kKept{"SLURM_", "TORCH", "PYTORCH_", "OMPI_", "PMI_",
    "PMIX_", "PBS_", "LSB_", "NCCL_", "RCCL_", "CUDA_", "HIP_", "ROCR_", "HSA_", "NVTE_", "UCX_",
    "FI_", "GLOO_", "OMP_NUM_THREADS", "MASTER_", "WORLD_SIZE", "RANK"};
std::string_view valueOf(const Environment& environment, std::string_view name) {
    const auto found = name.empty() ? environment.end() : environment.find(name);
    return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<int> numberOf(const Environment& environment, std::string_view name) {
    return wholeNumber<int>(valueOf(environment, name));
}

template <std::size_t N>
std::optional<std::string_view> optionOf(
    const std::vector<std::string>& command, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string_view word = command[i];
        const std::size_t equals = word.find('=');
        if (std::find(names.begin(), names.end(), word.substr(0, equals)) == names.end())
            continue;
        if (equals != std::string_view::npos)
            return word.substr(equals + 1);
        if (i + 1 < command.size())
            return command[i + 1];
    }
    return std::nullopt;
}

void takeLauncher(const Launcher& launcher, const Environment& environment, JobDescription& job) {
    const std::string_view id = valueOf(environment, launcher.job);
    const auto local = numberOf(environment, launcher.localProcess);
    if (id.empty() && (launcher.process.empty() || !numberOf(environment, launcher.process)))
        return;
    if (job.job.empty())
        job.job = id;
    if (!job.launcher.empty())
        return;
    job.launcher = launcher.name;
    job.localProcess = local.value_or(0);
    job.node = numberOf(environment, launcher.node).value_or(0);
    job.nodes = numberOf(environment, launcher.nodes).value_or(1);
    const auto process = numberOf(environment, launcher.process);
    const auto each = numberOf(environment, launcher.localProcesses);
    if (process && each && *each > 0) {
        job.node = *process / *each;
        job.nodes = std::max(1, numberOf(environment, launcher.processes).value_or(*each) / *each);
    }
}

void takeOptions(const std::vector<std::string>& command, JobDescription& job) {
    if (const auto node = optionOf(command, kNodeOptions))
        job.node = wholeNumber<int>(*node).value_or(job.node);
    if (const auto nodes = optionOf(command, kNodesOptions)) // "4", or "1:4" of an elastic job
        job.nodes = wholeNumber<int>(nodes->substr(nodes->rfind(':') + 1)).value_or(job.nodes);
    if (const auto id = optionOf(command, kJobOptions); id && job.job.empty())
        job.job = *id;
}

bool isKept(std::string_view name, std::string_view value) {
    return !isSecret(name, value)
        && std::any_of(kKept.begin(), kKept.end(),
            [name](std::string_view begin) { return name.starts_with(begin); });
}

std::string shellWord(std::string_view word) {
    constexpr std::string_view plain
        = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+…";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

} // namespace

Environment environmentOfThisProgram() {
    Environment all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

std::string shownCommand(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& word : withoutSecrets(command))
        text += (text.empty() ? "" : " ") + shellWord(word);
    return text;
}

JobDescription describeJob(
    const std::vector<std::string>& command, const Environment& environment, std::string host) {
    JobDescription job;
    job.host = std::move(host);
    for (const Launcher& launcher : kLaunchers)
        takeLauncher(launcher, environment, job);
    takeOptions(command, job);
    job.command = shownCommand(command);
    for (const auto& [name, value] : environment) {
        if (isKept(name, value))
            job.environment[name] = withoutSecrets(value);
    }
    return job;
}

} // namespace trainscope::record
