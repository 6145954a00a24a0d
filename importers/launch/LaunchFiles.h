#pragma once
// Finds the launch configurations of a tree for each run folder. In the order of trust:
//  1. a YAML in the run folder: named like it, or the only one there, or .hydra/config.yaml, or
//     hparams.yaml, or several that agree;
//  2. a YAML anywhere in the tree, named like the run folder (gpt3-175b_3_00000.yaml). Among
//  several
//     the one that shares most folder names with the run (its sweep, its model) wins; a tie of
//     different files, or folders that name different GPUs (h100, h200), decide nothing, since one
//     index means different layouts on different clusters;
//  3. TOML, logs and argument files in the run folder, then scripts, JSON configurations and
//     variables there: they fill what is not stated yet, and what one says otherwise is noted.
//     Files of one kind that contradict each other are left out, unless one is named like the run;
//  4. without any of these, a script or log anywhere, named like the run folder, as in 2;
//  5. as in 3 in the folders above it in which no run lies, with YAML, the nearest first.
// Folders named config, configs, conf or train_configs belong to the one that they lie in. Only
// files that are launch configurations count.
//
// Launch configurations by what kind of file they are in:
//  - YAML of NeMo and Hydra: `trainer.devices`, `trainer.num_nodes` and a `model` section, at the
//  top
//    or under `cfg`, `config`, `training` or `run` (hparams.yaml, launcher files), and Megatron's
//    argument names at the top level;
//  - TOML of torchtitan, in its sections;
//  - JSON: DeepSpeed configurations (batch, ZeRO stage, precision), Hugging Face config.json (the
//    model's shape), dumped arguments;
//  - Text: logs and argument files, which say what was in force;
//  - Script: shell scripts with the arguments of a launch command, and the variables they assign;
//  - Environment: `.env`, variables alone.
// A value that the file does not state stays absent; so does an interpolation such as
// ${multiply:...} (a plain ${path} is looked up), null, and DeepSpeed's "auto".

#include "importers/common/Source.h"
#include "importers/launch/Settings.h"

#include <set>

namespace trainscope::importers::launch {

// In the order of trust, where files of one folder say different things.
enum class LaunchKind { Yaml, Toml, Text, Script, Json, Environment };

// By the name's ending; absent: no launch configuration is looked for in it. JSON files count only
// where their names speak of a configuration, since traces are JSON too.
std::optional<LaunchKind> launchKindOf(std::string_view path);

// `where` becomes the config's origin and names the file in errors. Fails for text that cannot be
// read as that kind, or does not state what a launch configuration would.
Result<LaunchConfig> readLaunch(LaunchKind kind, std::string_view text, const std::string& where);

struct LaunchMatch {
    std::vector<std::string> paths; // relative to the tree; empty: none
    LaunchConfig config; // stated by these files; origin lists them
    std::string
        note; // says why a file that looked right was not taken, or not wholly; may be empty
};

// Names of the runs that a file is of, or that have files in a folder.
using RunsByPlace = std::map<std::string, std::set<std::string>, std::less<>>;

class LaunchFiles {
public:
    // Remembers the files of the tree that may be launch configurations; the tree must outlive
    // this. Reads nothing yet.
    LaunchFiles(const SourceTree& tree, RunsByPlace runs);

    // `folder` of the run, relative to the root, "" for the root itself.
    [[nodiscard]] LaunchMatch find(std::string_view folder, std::string_view runName) const;

private:
    struct Asked {
        std::string_view folder;
        std::string_view name; // the last of the folder's, or of the run's
        std::string_view run;
    };
    [[nodiscard]] LaunchMatch yamlIn(const Asked& asked) const;
    // Joins what the folder holds, which is the run's or one above it.
    void addBeside(const Asked& asked, LaunchMatch& match) const;
    [[nodiscard]] LaunchMatch elsewhere(
        const std::vector<std::string>& files, const Asked& asked) const;
    [[nodiscard]] LaunchMatch joined(
        const std::vector<std::string>& paths, std::string_view name) const;
    // A file of other runs, or one that lies in their folders, tells nothing of this one.
    [[nodiscard]] bool isForeign(std::string_view path, std::string_view run) const;
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
    [[nodiscard]] bool isCloserToAnotherRun(const Asked& asked, const Candidate& candidate) const;

    const SourceTree& m_tree;
    RunsByPlace m_runs;
    std::vector<std::string> m_yaml;
    std::vector<std::string> m_others;
    std::map<std::string, std::vector<std::string>, std::less<>> m_beside; // all, by folder
    mutable std::map<std::string, Result<LaunchConfig>> m_read; // each file once
};

// The launch configuration in a file of the tree; its origin is the path.
Result<LaunchConfig> readLaunchFile(const SourceTree& tree, const std::string& path);
// Settings that these files state together. Files that cannot be read (any more) count as if they
// were not there.
LaunchConfig readLaunchFiles(const SourceTree& tree, const std::vector<std::string>& paths);
// Fills what `known` does not state from `more`; the origin lists both.
void joinLaunch(LaunchConfig& known, const LaunchConfig& more);

// Settings in the command lines and logs of Megatron-LM, Megatron-DeepSpeed and GPT-NeoX:
//  - "--tensor-model-parallel-size 8", "--micro-batch-size=4", "--bf16" and Hydra overrides
//    ("model.num_layers=96", "trainer.devices=8"), in a script, an argument file or a logged
//    command; variables assigned in the same script are resolved, with ${NAME:-default} and
//    products and quotients in $((…)); #SBATCH lines count as arguments;
//  - the block that these programs print at their start, "  hidden_size ........ 12288", whose
//    values are those in force and go before the command line's;
//  - "Namespace(micro_batch_size=4, bf16=True)", as argparse prints it;
//  - "padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)".
// A value that needs something from outside the text is not stated.

// Stated: variables that a script assigns are settings too ("TP=8", "export SEQ_LEN=4096"), under
// their names in small letters, where no argument says the same.
enum class Variables { Resolved, Stated };

// Empty where there are none. Names with underscores, the last of several values.
Settings readArguments(std::string_view text, Variables variables = Variables::Resolved);

} // namespace trainscope::importers::launch
