#pragma once
// Rank, process and siblings of a trace file, by its name. Names seen: rank-0, rank_0, rank0, gpu1,
// megatron_kineto_3.json, worker0.<ms>.pt.trace.json, <host>_<pid>.<ms>.pt.trace.json, and a parent
// folder per rank (result/1/...).

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

// The file's name without folders and without the suffixes of traces.
std::string_view traceStem(std::string_view path);

struct NamedRank {
    int rank = 0;
    std::size_t begin = 0; // the marker's place in the stem
};
// A number that a word calls a rank: "rank3", "worker-3", "gpu_3".
std::optional<NamedRank> rankInStem(std::string_view stem);
// The number at the end, "megatron_kineto_3": a rank, a step, a batch; nobody says.
std::optional<NamedRank> numberInStem(std::string_view stem);
// The same behind any sign, which is where recorders of one process put the rank: "pytorch_et_0",
// "final.0", "3". Others are of something else: "resnet_2gpu_et".
std::optional<int> numberAtEnd(std::string_view stem);

// The rank that a folder of one rank's files is called by: "rank3", "rank_3".
std::optional<int> rankOfFolder(std::string_view folderName);
// A folder that is called by a number alone: "3".
std::optional<int> numberOfFolder(std::string_view folderName);

// Host and process of <host>_<pid>.<ms>, as PyTorch's tensorboard_trace_handler names traces:
// "node1_4711". Empty for other names.
std::string_view processInStem(std::string_view stem);

// Equal for files that differ in numbers only: ranks, process ids, time stamps, container ids.
std::string stemPattern(std::string_view stem);

// The stem up to its rank or number, for naming the run that several files form.
std::string stemWithoutRank(std::string_view stem);
// The name of the stretch that a trace is: its stem without the rank, "step20" of "rank0_step20",
// so that the captures of several ranks have one name.
std::string captureName(std::string_view path);

// Rank of a process in its job, by the variables that launchers set: torchrun, Open MPI, PMI and
// Slurm. Others are not looked at and not kept.

struct LaunchedRank {
    std::optional<int> rank;
    std::optional<int> node;
    int worldSize = 0; // 0: not said

    // The first rank of a task that started so many processes: launchers count tasks.
    [[nodiscard]] LaunchedRank ofProcesses(int processes) const;
};

class LauncherVariables {
public:
    void take(std::string_view name, std::string_view value);
    void takeAssignment(std::string_view text); // RANK="3"
    void takeJson(std::string_view object); // {"RANK":"3",…}, with values that are texts
    [[nodiscard]] LaunchedRank rank() const;

private:
    [[nodiscard]] std::optional<int> number(std::string_view name) const;

    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace trainscope::importers
