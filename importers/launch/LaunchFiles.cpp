#include "importers/launch/LaunchFiles.h"

#include "importers/common/GpuFamily.h"
#include "importers/launch/LaunchFile.h"
#include "importers/launch/YamlScalars.h"

#include <algorithm>
#include <array>
#include <set>

namespace trainscope::importers::launch {

namespace {

using Words = std::set<std::string, std::less<>>;

bool isYamlName(std::string_view path) {
    for (const std::string_view suffix : {".yaml", ".yml", ".YAML", ".YML"}) {
        if (path.ends_with(suffix))
            return true;
    }
    return false;
}

std::string_view stemOf(std::string_view path) {
    const std::string_view name = namePart(path);
    return name.substr(0, name.rfind('.'));
}

bool liesIn(std::string_view path, std::string_view folder) {
    return folder.empty()
        || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
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
        && std::none_of(
            first.begin(), first.end(), [&](const auto& gpu) { return second.contains(gpu); });
}

} // namespace

Result<LaunchConfig> readLaunchFile(const SourceTree& tree, const std::string& path) {
    const auto text = readHead(tree, path, kMaxYamlBytes + 1);
    if (!text.hasValue())
        return text.error();
    return readLaunchYaml(text.value(), path);
}

LaunchFiles::LaunchFiles(const SourceTree& tree, const RunFolders& runs)
    : m_tree(tree)
    , m_runs(runs) {
    for (const SourceFile& file : tree.files()) {
        if (isYamlName(file.path) && file.problem.empty())
            m_yaml.push_back(file.path);
    }
}

LaunchMatch LaunchFiles::find(std::string_view runFolder) const {
    const std::string rootName(namePart(m_tree.displayPath({})));
    const std::string_view name
        = runFolder.empty() ? std::string_view(rootName) : namePart(runFolder);
    LaunchMatch match = inRunFolder(runFolder, name);
    if (match.path)
        return match;
    LaunchMatch other = elsewhere(runFolder, name);
    if (!other.path && other.note.empty())
        other.note = std::move(match.note);
    return other;
}

bool LaunchFiles::accept(const std::string& path, LaunchMatch& match) const {
    auto config = readLaunchFile(m_tree, path);
    if (!config.hasValue()) {
        match.note = config.error().describe();
        return false;
    }
    match = {path, std::move(config).value(), {}};
    return true;
}

LaunchMatch LaunchFiles::inRunFolder(std::string_view runFolder, std::string_view name) const {
    std::vector<std::string> named;
    std::vector<std::string> beside;
    std::vector<std::string> hydra;
    for (const std::string& path : m_yaml) {
        if (!liesIn(path, runFolder))
            continue;
        const bool isBeside = folderPart(path) == runFolder;
        if (isBeside && standsAsWord(stemOf(path), name))
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
    return static_cast<std::size_t>(std::count_if(
        here.begin(), here.end(), [&](const auto& word) { return there.contains(word); }));
}

bool LaunchFiles::isCloserToAnotherRun(
    std::string_view runFolder, std::string_view name, const Candidate& candidate) const {
    const auto& runs = m_runs.telemetryFolders();
    return std::any_of(runs.begin(), runs.end(), [&](const std::string& run) {
        return run != runFolder && namePart(run) == name
            && closeness(run, candidate.path) > candidate.score;
    });
}

LaunchMatch LaunchFiles::elsewhere(std::string_view runFolder, std::string_view name) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(runFolder)));
    std::vector<Candidate> candidates;
    std::string note;
    for (const std::string& path : m_yaml) {
        if (!standsAsWord(stemOf(path), name) || liesIn(path, runFolder))
            continue;
        const Candidate candidate{path, closeness(runFolder, path)};
        if (contradict(here, foldersOf(m_tree.displayPath(path))))
            note = path + " was not used: its folder names another GPU than the run's.";
        else if (isCloserToAnotherRun(runFolder, name, candidate))
            note = path + " was not used: it belongs to another run of the same name.";
        else
            candidates.push_back(candidate);
    }
    std::stable_sort(
        candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
            return a.score != b.score ? a.score > b.score
                                      : (stemOf(a.path) == name && stemOf(b.path) != name);
        });
    return best(candidates, std::move(note));
}

LaunchMatch LaunchFiles::best(const std::vector<Candidate>& candidates, std::string note) const {
    LaunchMatch first;
    std::size_t score = 0;
    for (const Candidate& candidate : candidates) {
        if (first.path && candidate.score < score)
            break;
        LaunchMatch found;
        if (!accept(candidate.path, found)) {
            note = found.note;
        } else if (!first.path) {
            first = std::move(found);
            score = candidate.score;
        } else {
            found.config.origin = first.config.origin;
            if (found.config != first.config)
                return {{}, {},
                    *first.path + " and " + *found.path + " fit equally well; neither was used."};
        }
    }
    if (!first.path)
        first.note = std::move(note);
    return first;
}

} // namespace trainscope::importers::launch
