#include "importers/record/GpuJobs.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

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

} // namespace trainscope::record
