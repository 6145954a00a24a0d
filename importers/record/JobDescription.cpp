#include "importers/record/JobDescription.h"

#include "core/model/AsciiText.h"
#include "core/model/Secrets.h"
#include "core/model/WholeNumber.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace trainscope::record {

namespace {

std::string procPath(const std::string& root, int process, const char* name) {
    return (std::filesystem::path(root) / "proc" / std::to_string(process) / name).string();
}

constexpr std::size_t kMostRead = 1U << 20U;

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(kMostRead, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    return bytes;
}

// Texts that end with a zero each; what was cut off is left out.
std::vector<std::string> textsIn(std::string bytes) {
    if (bytes.size() == kMostRead)
        bytes.resize(bytes.rfind('\0') + 1);
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
        texts.push_back(bytes.substr(at, end - at));
        at = end + 1;
    }
    return texts;
}

struct ProcessFacts {
    int parent = 0;
    std::string name;
};

// "123 (name of it) S parent …"; the name may hold anything.
std::optional<ProcessFacts> factsOf(const std::string& root, int process) {
    const std::string text = contentOf(procPath(root, process, "stat"));
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return std::nullopt;
    const auto rest = words(std::string_view(text).substr(close + 1), " \n");
    constexpr std::size_t parent = 1;
    if (rest.size() <= parent)
        return std::nullopt;
    return ProcessFacts{
        wholeNumber<int>(rest[parent]).value_or(0), text.substr(open + 1, close - open - 1)};
}

// -1: it is not there.
std::int64_t ownerOf(const std::string& root, int process) {
    struct stat facts { };
    return ::stat(procPath(root, process, "").c_str(), &facts) == 0
        ? static_cast<std::int64_t>(facts.st_uid)
        : -1;
}

bool isOfUser(const std::string& root, int process) {
    return ::geteuid() == 0 || ownerOf(root, process) == static_cast<std::int64_t>(::geteuid());
}

Environment environmentIn(const std::string& root, int process) {
    Environment all;
    for (const std::string& text : textsIn(contentOf(procPath(root, process, "environ")))) {
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos)
            all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

// Shells, services and what starts containers: below them begins a job. Names as the kernel keeps
// them, of 15 letters at most.
constexpr std::array<std::string_view, 26> kStarters{"sh", "bash", "dash", "zsh", "fish", "tcsh",
    "csh", "ksh", "tmux", "screen", "login", "su", "sudo", "sshd", "systemd", "init", "cron",
    "crond", "slurmd", "slurmstepd", "conmon", "containerd", "tini", "dumb-init", "docker-init",
    "supervisord"};

bool isStarter(const ProcessFacts& facts) {
    const std::string_view name = facts.name;
    const std::string_view first = name.substr(0, name.find_first_of(": ")); // "tmux: server"
    return std::find(kStarters.begin(), kStarters.end(), first) != kStarters.end()
        || first.starts_with("containerd-shim") || first.starts_with("sshd-");
}

// torchrun calls a job that nobody named "none".
std::string jobIn(const Environment& environment) {
    const JobDescription job = describeJob({}, environment, {});
    return job.job.empty() || job.job == "none" ? std::string() : job.launcher + " " + job.job;
}

// The one that this process comes from: the furthest parent of the same user below a starter, and
// in the same job where one is named. Launchers put workers into sessions of their own, so that
// sessions tell nothing.
int originOf(const std::string& root, int process, const std::string& named) {
    constexpr int deepest = 64;
    int origin = process;
    for (int i = 0; i < deepest; ++i) {
        const auto facts = factsOf(root, origin);
        const auto parent = facts ? factsOf(root, facts->parent) : std::nullopt;
        if (!parent || facts->parent <= 1 || isStarter(*parent)
            || ownerOf(root, facts->parent) != ownerOf(root, process)
            || (!named.empty() && jobIn(environmentIn(root, facts->parent)) != named))
            break;
        origin = facts->parent;
    }
    return origin;
}

void addProcess(
    const std::string& root, const GpuProcess& process, std::map<std::string, GpuJob>& jobs) {
    const auto facts = factsOf(root, process.process);
    if (!facts || !isOfUser(root, process.process))
        return;
    Environment environment = environmentIn(root, process.process);
    const std::string named = jobIn(environment);
    const int origin = originOf(root, process.process, named);
    const std::int64_t user = ownerOf(root, process.process);
    GpuJob& job = jobs[std::to_string(user) + " "
        + (named.empty() ? "process " + std::to_string(origin) : named)];
    if (job.gpus.empty()) {
        job.user = user;
        job.command = textsIn(contentOf(procPath(root, origin, "cmdline")));
        const auto first = factsOf(root, origin);
        job.name = named.empty()
            ? (first ? first->name : facts->name) + "-" + std::to_string(origin)
            : named.substr(named.find(' ') + 1);
        job.environment = std::move(environment);
    }
    if (std::find(job.gpus.begin(), job.gpus.end(), process.gpu) == job.gpus.end())
        job.gpus.push_back(process.gpu);
}

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

std::vector<GpuJob> gpuJobs(const std::vector<GpuProcess>& processes, const std::string& root) {
    std::map<std::string, GpuJob> jobs;
    for (const GpuProcess& process : processes)
        addProcess(root, process, jobs);
    std::vector<GpuJob> all;
    for (auto& [key, job] : jobs) {
        job.key = key;
        std::sort(job.gpus.begin(), job.gpus.end());
        all.push_back(std::move(job));
    }
    return all;
}

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
