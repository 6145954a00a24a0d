#include "importers/launch/LaunchFiles.h"

#include "core/model/AsciiText.h"
#include "core/model/LaunchConfig.h"
#include "core/model/Secrets.h"
#include "core/model/Try.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/Arguments.h"
#include "importers/launch/Fields.h"
#include "importers/launch/Settings.h"

namespace trainscope::importers::launch {

namespace {

bool endsWithOneOf(std::string_view text, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
        [text](std::string_view ending) { return text.ends_with(ending); });
}

bool holdsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
        [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

Result<Settings> settingsOf(LaunchKind kind, std::string_view text, const std::string& where) {
    switch (kind) {
    case LaunchKind::Yaml:
        return readYamlSettings(text, where);
    case LaunchKind::Toml:
        return readTomlSettings(text, where);
    case LaunchKind::Json:
        return readJsonSettings(text, where);
    case LaunchKind::Script:
    case LaunchKind::Environment:
        return readArguments(text, Variables::Stated);
    case LaunchKind::Text:
        break;
    }
    return readArguments(text);
}

// Any setting makes a YAML one; scripts and JSON hold much that is named alike.
bool isLaunch(LaunchKind kind, const LaunchConfig& config) {
    if (kind == LaunchKind::Yaml)
        return config != LaunchConfig{};
    return config.layers || config.tensorParallel || config.microBatch || config.globalBatch
        || config.zeroStage;
}

const char* whyNone(LaunchKind kind) {
    switch (kind) {
    case LaunchKind::Yaml:
        return "This YAML is no launch configuration: neither trainer.devices nor any model "
               "setting is in it.";
    case LaunchKind::Toml:
    case LaunchKind::Json:
        return "This file is no launch configuration: neither a batch size nor a number of layers "
               "is in it.";
    case LaunchKind::Text:
    case LaunchKind::Script:
    case LaunchKind::Environment:
        break;
    }
    return "There are no arguments of a training program in this text, such as "
           "--tensor-model-parallel-size or --num-layers.";
}

using Words = std::set<std::string, std::less<>>;

std::string_view stemOf(std::string_view path) {
    const std::string_view name = namePart(path);
    return name.substr(0, name.rfind('.'));
}

Words foldersOf(std::string_view path) {
    Words words;
    for (path = folderPart(path); !path.empty(); path = folderPart(path))
        words.emplace(namePart(path));
    return words;
}

Words gpusIn(const Words& folders) {
    Words found;
    for (const std::string& folder : folders) {
        for (const std::string_view family : gpuFamiliesIn(folder))
            found.emplace(family);
    }
    return found;
}

bool contradict(const Words& a, const Words& b) {
    const Words first = gpusIn(a);
    const Words second = gpusIn(b);
    return !first.empty() && !second.empty()
        && std::ranges::none_of(first, [&](const auto& gpu) { return second.contains(gpu); });
}

// More files of a kind than this are no launch configurations of one run.
constexpr std::size_t kMostBeside = 8;

// Names of the fields that both state, and differently: "micro batch, layers".
std::string differing(const LaunchConfig& a, const LaunchConfig& b) {
    std::string fields;
    forEachLaunchField([&](const char* name, auto member) {
        if (a.*member && b.*member && a.*member != b.*member)
            fields += (fields.empty() ? "" : ", ") + std::string(name);
    });
    std::ranges::replace(fields, '_', ' ');
    return fields;
}

// The folder whose settings the file holds: its own, or the one that a folder of settings is in.
std::string_view settingsFolder(std::string_view path) {
    const std::string_view own = folderPart(path);
    const std::string_view name = namePart(own);
    const bool isOfSettings
        = name == "config" || name == "configs" || name == "conf" || name == "train_configs";
    return isOfSettings ? folderPart(own) : own;
}

// Fills what `into` does not state from `more`, and notes what they state differently.
void joinMatch(const LaunchMatch& more, LaunchMatch& into) {
    std::string others = more.note;
    if (const std::string fields = differing(into.config, more.config); !fields.empty())
        others += (others.empty() ? "" : " ") + more.config.origin + " states another " + fields
            + " than " + into.config.origin + ", which was taken.";
    if (!others.empty())
        into.note += (into.note.empty() ? "" : " ") + others;
    if (more.paths.empty())
        return;
    joinLaunch(into.config, more.config);
    into.paths.insert(into.paths.end(), more.paths.begin(), more.paths.end());
}

} // namespace

std::optional<LaunchKind> launchKindOf(std::string_view path) {
    const std::string name = lowered(namePart(path));
    if (endsWithOneOf(name, {".yaml", ".yml"}))
        return LaunchKind::Yaml;
    if (name.ends_with(".toml"))
        return LaunchKind::Toml;
    if (name.ends_with(".json") && holdsOneOf(name, {"config", "deepspeed", "ds_", "zero", "args"}))
        return LaunchKind::Json;
    if (endsWithOneOf(name, {".sh", ".slurm", ".sbatch", ".bash"}))
        return LaunchKind::Script;
    if (endsWithOneOf(name, {".txt", ".log", ".out", ".args"}))
        return LaunchKind::Text;
    if (name.ends_with(".env"))
        return LaunchKind::Environment;
    return std::nullopt;
}

Result<LaunchConfig> readLaunch(LaunchKind kind, std::string_view text, const std::string& where) {
    ASSIGN_OR_RETURN(const auto settings, settingsOf(kind, text, where));
    LaunchConfig config = readFields(Fields(settings));
    if (!isLaunch(kind, config))
        return Error{ErrorCode::Unrecognised, whyNone(kind), where};
    config.origin = where;
    forEachLaunchField([&config](const char*, auto member) {
        if constexpr (std::is_same_v<decltype(member),
                          std::optional<std::string> LaunchConfig::*>) {
            if (config.*member)
                config.*member = withoutSecrets(*(config.*member));
        }
    });
    return config;
}

Result<LaunchConfig> readLaunchFile(const SourceTree& tree, const std::string& path) {
    const auto kind = launchKindOf(path);
    if (!kind)
        return Error{ErrorCode::Unrecognised, "This is no kind of launch configuration.", path};
    // The beginning of a log is enough; another kind of file that is longer is no launch file.
    const std::size_t limit = kMaxYamlBytes + (*kind == LaunchKind::Text ? 0 : 1);
    ASSIGN_OR_RETURN(const auto text, readHead(tree, path, limit));
    return readLaunch(*kind, text, path);
}

void joinLaunch(LaunchConfig& known, const LaunchConfig& more) {
    const std::string origin = known.origin;
    fillLaunch(known, more);
    if (!origin.empty())
        known.origin = origin + ", " + more.origin;
}

LaunchConfig readLaunchFiles(const SourceTree& tree, const std::vector<std::string>& paths) {
    LaunchConfig launch;
    for (const std::string& path : paths) {
        if (const auto more = readLaunchFile(tree, path); more.hasValue())
            joinLaunch(launch, more.value());
    }
    return launch;
}

LaunchFiles::LaunchFiles(const SourceTree& tree, RunsByPlace runs)
    : m_tree(tree)
    , m_runs(std::move(runs)) {
    for (const SourceFile& file : tree.files()) {
        const auto kind = file.problem.empty() ? launchKindOf(file.path) : std::nullopt;
        if (!kind)
            continue;
        (kind == LaunchKind::Yaml ? m_yaml : m_others).push_back(file.path);
        m_beside[std::string(settingsFolder(file.path))].push_back(file.path);
    }
}

LaunchMatch LaunchFiles::find(std::string_view folder, std::string_view runName) const {
    const std::string rootName(namePart(m_tree.displayPath({})));
    const Asked own{
        folder, folder.empty() ? std::string_view(rootName) : namePart(folder), runName};
    LaunchMatch match = yamlIn(own);
    if (match.paths.empty()) {
        LaunchMatch other = elsewhere(m_yaml, own);
        if (other.paths.empty() && other.note.empty())
            other.note = std::move(match.note);
        match = std::move(other);
    }
    addBeside({folder, namePart(runName), runName}, match);
    if (match.paths.empty()) {
        // A script or a log that states nothing is no surprise.
        LaunchMatch script = elsewhere(m_others, own);
        if (!script.paths.empty())
            return script;
    }
    while (!folder.empty()) {
        folder = folderPart(folder);
        if (m_runs.contains(folder))
            break;
        addBeside({folder, namePart(runName), runName}, match);
    }
    return match;
}

bool LaunchFiles::isForeign(std::string_view path, std::string_view run) const {
    auto known = m_runs.find(path);
    for (; known == m_runs.end() && !path.empty(); known = m_runs.find(path))
        path = folderPart(path);
    return known != m_runs.end() && !known->second.contains(std::string(run));
}

void LaunchFiles::addBeside(const Asked& asked, LaunchMatch& match) const {
    std::map<LaunchKind, std::vector<std::string>> kinds; // in the order of trust
    const auto beside = m_beside.find(asked.folder);
    if (beside == m_beside.end())
        return;
    const bool hasYaml = std::ranges::any_of(match.paths,
        [](const std::string& path) { return launchKindOf(path) == LaunchKind::Yaml; });
    for (const std::string& path : beside->second) {
        const LaunchKind kind = *launchKindOf(path);
        const bool isTaken = std::ranges::find(match.paths, path) != match.paths.end()
            || (hasYaml && kind == LaunchKind::Yaml);
        if (!isTaken && !isForeign(path, asked.run))
            kinds[kind].push_back(path);
    }
    for (const auto& [kind, paths] : kinds)
        joinMatch(joined(paths, asked.name), match);
}

bool LaunchFiles::accept(const std::string& path, LaunchMatch& match) const {
    auto known = m_read.find(path);
    if (known == m_read.end())
        known = m_read.emplace(path, readLaunchFile(m_tree, path)).first;
    const Result<LaunchConfig>& config = known->second;
    if (config.hasValue())
        match = {{path}, config.value(), {}};
    else
        match.note = config.error().describe();
    return config.hasValue();
}

// Joins what files of one kind state: all of them, or those that are named like the run.
LaunchMatch LaunchFiles::joined(
    const std::vector<std::string>& paths, std::string_view name) const {
    std::vector<LaunchMatch> all;
    std::vector<LaunchMatch> named;
    for (const std::string& path : paths) {
        LaunchMatch found;
        if (paths.size() > kMostBeside || !accept(path, found))
            continue;
        if (!name.empty() && standsAsWord(stemOf(path), name))
            named.push_back(found);
        all.push_back(std::move(found));
    }
    LaunchMatch together;
    for (const LaunchMatch& found : named.empty() ? all : named) {
        if (!differing(together.config, found.config).empty())
            return {{}, {},
                together.paths.front() + " and " + found.paths.front()
                    + " state different things; neither was used."};
        joinMatch(found, together);
    }
    return together;
}

LaunchMatch LaunchFiles::yamlIn(const Asked& asked) const {
    std::vector<std::string> named;
    std::vector<std::string> beside;
    std::vector<std::string> hydra;
    for (const std::string& path : m_yaml) {
        if (!isInside(path, asked.folder) || isForeign(path, asked.run))
            continue;
        const bool isBeside = settingsFolder(path) == asked.folder;
        if (isBeside && standsAsWord(stemOf(path), asked.name))
            named.push_back(path);
        if (isBeside)
            beside.push_back(path);
        if (path.ends_with(".hydra/config.yaml") || stemOf(path) == "hparams")
            hydra.push_back(path);
    }
    if (beside.size() > 1)
        beside.clear();
    LaunchMatch match;
    for (const auto* group : {&named, &beside, &hydra}) {
        for (const std::string& path : *group) {
            if (accept(path, match))
                return match;
        }
    }
    return match;
}

std::size_t LaunchFiles::closeness(std::string_view runFolder, const std::string& path) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(runFolder)));
    const Words there = foldersOf(m_tree.displayPath(path));
    return static_cast<std::size_t>(
        std::ranges::count_if(here, [&](const auto& word) { return there.contains(word); }));
}

bool LaunchFiles::isCloserToAnotherRun(const Asked& asked, const Candidate& candidate) const {
    return std::ranges::any_of(m_runs, [&](const auto& place) {
        const std::string& folder = place.first;
        return folder != asked.folder && namePart(folder) == asked.name
            && closeness(folder, candidate.path) > candidate.score;
    });
}

LaunchMatch LaunchFiles::elsewhere(
    const std::vector<std::string>& files, const Asked& asked) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(asked.folder)));
    std::vector<Candidate> candidates;
    std::string note;
    for (const std::string& path : files) {
        if (!standsAsWord(stemOf(path), asked.name) || isInside(path, asked.folder))
            continue;
        const Candidate candidate{path, closeness(asked.folder, path)};
        if (contradict(here, foldersOf(m_tree.displayPath(path))))
            note = path + " was not used: its folder names another GPU than the run's.";
        else if (isCloserToAnotherRun(asked, candidate))
            note = path + " was not used: it belongs to another run of the same name.";
        else
            candidates.push_back(candidate);
    }
    std::ranges::stable_sort(candidates, [&](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score
                                  : (stemOf(a.path) == asked.name && stemOf(b.path) != asked.name);
    });
    return best(candidates, std::move(note));
}

LaunchMatch LaunchFiles::best(const std::vector<Candidate>& candidates, std::string note) const {
    LaunchMatch first;
    std::size_t score = 0;
    for (const Candidate& candidate : candidates) {
        if (!first.paths.empty() && candidate.score < score)
            break;
        LaunchMatch found;
        if (!accept(candidate.path, found)) {
            note = found.note;
        } else if (first.paths.empty()) {
            first = std::move(found);
            score = candidate.score;
        } else {
            found.config.origin = first.config.origin;
            if (found.config != first.config)
                return {{}, {},
                    first.paths.front() + " and " + found.paths.front()
                        + " fit equally well; neither was used."};
        }
    }
    if (first.paths.empty())
        first.note = std::move(note);
    return first;
}

} // namespace trainscope::importers::launch
