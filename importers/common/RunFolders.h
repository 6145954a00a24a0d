#pragma once
// The folders of a tree that are training runs, and the file names that make them so: CharLLM-PPT
// telemetry and `<N>_kineto` folders of traces.

#include "importers/common/Source.h"

#include <set>

namespace trainscope::importers {

// File names of CharLLM-PPT telemetry: `<metric>_<rank>.csv` for a GPU,
// `system_<metric>_rank_<rank>.csv` and `system_<metric>_rank_<rank>_id_<device>.csv` for the node
// of that rank. The metric stands nowhere else, so the name is needed; the suffix (.csv, .txt,
// .csv.gz, none) is not.
struct TelemetryName {
    std::string metric; // as in the name, without "system_": "gpu_power", "ib_rx_bytes"
    int rank = 0; // global
    bool isSystem = false; // the node's, not of a GPU
    std::string device; // a node's link or part: "ib0"; may be empty
    bool isKnown = false; // a metric that CharLLM-PPT writes
};

// `fileName` without folders.
std::optional<TelemetryName> telemetryName(std::string_view fileName);

// Finds the folders that are training runs, and the runs' names. Importers of other formats use
// this to join their files to the run they lie in. Immutable after construction.
class RunFolders {
public:
    explicit RunFolders(const SourceTree& tree);

    // The nearest run folder above a file, relative to the root ("": the root itself).
    [[nodiscard]] std::optional<std::string> folderOf(std::string_view path) const;
    // The run's name: the folder's path below the root; for the root itself its own name.
    [[nodiscard]] std::string nameOf(std::string_view folder) const;
    // True for a file below a `<N>_kineto` folder whose run folder has one with a higher N: of
    // several, the highest is the one that was profiled.
    [[nodiscard]] bool isSuperseded(std::string_view path) const;
    // True where telemetry files lie in the folder itself.
    [[nodiscard]] bool hasTelemetry(std::string_view folder) const;
    // All folders with telemetry, sorted.
    [[nodiscard]] const std::set<std::string, std::less<>>& telemetryFolders() const {
        return m_telemetry;
    }

private:
    std::string m_rootName;
    std::set<std::string, std::less<>> m_telemetry;
    std::map<std::string, long, std::less<>> m_kineto; // run folder → its highest N
};

// The path of the folder that holds `path` ("" at the root), and the last component.
std::string_view folderPart(std::string_view path);
// True where a file lies in the folder or below; "" is the root.
bool isInside(std::string_view file, std::string_view folder);
std::string_view namePart(std::string_view path);
// The fabric that a folder of measurements names: "perlmutter" of "nccl_perlmutter/A100.csv"; else
// the folder's own name.
std::string_view fabricOf(std::string_view path);
// Takes these endings off, one after another, as long as something is left.
std::string_view withoutEndings(std::string_view name, std::span<const std::string_view> endings);
std::string_view unpacked(std::string_view path); // without .gz and .zst
// Without .gz, .zst and the suffix before it: "a/power" of "a/power.csv.gz".
std::string_view withoutSuffixes(std::string_view path);

// Groups telemetry files of a tree that belong together: those of one folder whose names differ in
// the number behind node, host, switch and the like, and in nothing else.

// Machine in a file's name: "dell_64xH100_node_3.txt", "sw_0.txt".
struct NodeFileName {
    std::optional<int> node;
    std::string switchName; // "sw0"; empty: no switch
    std::string before; // the text before the word: "dell_64xH100_"
    std::string word; // "node_"
    std::string after; // behind the number: ".txt"
};
NodeFileName nodeFileName(std::string_view path);

// Nodes by number, then switches. `keys`, one for each file, tell kinds of files apart that do not
// go together; empty: all do.
std::vector<std::vector<SourceFile>> groupByNode(
    const std::vector<SourceFile>& files, const std::vector<std::string>& keys = {});
// Takes "_", "-", "." and blanks off its end.
std::string withoutJoint(std::string name);

} // namespace trainscope::importers
