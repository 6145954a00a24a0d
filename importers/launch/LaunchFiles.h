#pragma once
// Finds the launch configurations of a tree for each run folder. In the order of trust:
//  1. a YAML in the run folder: named like it, or the only one there, or .hydra/config.yaml, or
//     hparams.yaml;
//  2. a YAML anywhere in the tree, named like the run folder (gpt3-175b_3_00000.yaml). Of several
//     the one that shares most folder names with the run (its sweep, its model) wins; a tie of
//     different files, or folders that name different GPUs (h100, h200), decide nothing, since one
//     index means different layouts on different clusters;
//  3. scripts and logs in the run folder, then JSON configurations there: they fill what is not
//     stated yet. Files of one kind that contradict each other are left out;
//  4. without any of these, a script or log anywhere, named like the run folder, as in 2;
//  5. else, where the tree holds that one run only, as in 1 and 3 in the folders above it.
// Only files that are launch configurations count.

#include "core/model/Result.h"
#include "core/model/Run.h"
#include "importers/common/RunFolders.h"
#include "importers/common/Source.h"
#include "importers/launch/LaunchFile.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::launch {

struct LaunchMatch {
    std::vector<std::string> paths; // relative to the tree; empty: none
    LaunchConfig config; // of these files; origin lists them
    std::string note; // why a file that looked right was not taken; may be empty
};

class LaunchFiles {
public:
    // Remembers the files of the tree that may be launch configurations; tree and runs must outlive
    // this. Reads nothing yet.
    LaunchFiles(const SourceTree& tree, const RunFolders& runs);

    // `runFolder` relative to the root, "" for the root itself.
    [[nodiscard]] LaunchMatch find(std::string_view runFolder) const;

private:
    [[nodiscard]] LaunchMatch inRunFolder(std::string_view runFolder, std::string_view name) const;
    [[nodiscard]] LaunchMatch elsewhere(const std::vector<std::string>& files,
        std::string_view runFolder, std::string_view name) const;
    // In the folders above the only run of the tree.
    [[nodiscard]] LaunchMatch above(std::string_view runFolder, std::string_view name) const;
    void addAllBeside(std::string_view runFolder, LaunchMatch& match) const;
    void addBeside(std::string_view runFolder, LaunchKind kind, LaunchMatch& match) const;
    struct Candidate {
        std::string path;
        std::size_t score = 0; // folder names shared with the run
    };
    // The first candidate that is a launch configuration, unless another fits as well.
    [[nodiscard]] LaunchMatch best(
        const std::vector<Candidate>& candidates, std::string note) const;
    // True for a launch configuration; then `match` says so.
    bool accept(const std::string& path, LaunchMatch& match) const;
    [[nodiscard]] std::size_t closeness(std::string_view runFolder, const std::string& path) const;
    [[nodiscard]] bool isCloserToAnotherRun(
        std::string_view runFolder, std::string_view name, const Candidate& candidate) const;

    const SourceTree& m_tree;
    const RunFolders& m_runs;
    std::vector<std::string> m_yaml;
    std::vector<std::string> m_others;
};

// The launch configuration in a file of the tree; its origin is the path.
Result<LaunchConfig> readLaunchFile(const SourceTree& tree, const std::string& path);
// Settings that these files state together. Files that cannot be read (any more) count as if they
// were not there.
LaunchConfig readLaunchFiles(const SourceTree& tree, const std::vector<std::string>& paths);
// Fills what `known` does not state from `more`; the origin lists both.
void joinLaunch(LaunchConfig& known, const LaunchConfig& more);

} // namespace trainscope::importers::launch
