#include "importers/launch/LaunchFiles.h"

#include "core/model/LaunchConfig.h"
#include "core/model/Try.h"
#include "importers/common/GpuFamily.h"
#include "importers/launch/LaunchFile.h"
#include "importers/launch/Settings.h"

#include <algorithm>
#include <array>
#include <set>

namespace trainscope::importers::launch {

namespace {

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
        && std::none_of(
            first.begin(), first.end(), [&](const auto& gpu) { return second.contains(gpu); });
}

// More files of a kind than this are no launch configurations of one run.
constexpr std::size_t kMostBeside = 8;

bool agree(const LaunchConfig& a, const LaunchConfig& b) {
    bool same = true;
    forEachLaunchField([&](const char*, auto member) {
        same = same && (!(a.*member) || !(b.*member) || a.*member == b.*member);
    });
    return same;
}

// Fills what `into` does not say from `more`.
void join(const LaunchMatch& more, LaunchMatch& into) {
    if (more.paths.empty())
        return;
    joinLaunch(into.config, more.config);
    into.paths.insert(into.paths.end(), more.paths.begin(), more.paths.end());
}

} // namespace

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

LaunchFiles::LaunchFiles(const SourceTree& tree, const RunFolders& runs)
    : m_tree(tree)
    , m_runs(runs) {
    for (const SourceFile& file : tree.files()) {
        const auto kind = file.problem.empty() ? launchKindOf(file.path) : std::nullopt;
        if (kind)
            (kind == LaunchKind::Yaml ? m_yaml : m_others).push_back(file.path);
    }
}

LaunchMatch LaunchFiles::find(std::string_view runFolder) const {
    const std::string rootName(namePart(m_tree.displayPath({})));
    const std::string_view name
        = runFolder.empty() ? std::string_view(rootName) : namePart(runFolder);
    LaunchMatch match = inRunFolder(runFolder, name);
    if (match.paths.empty()) {
        LaunchMatch other = elsewhere(m_yaml, runFolder, name);
        if (other.paths.empty() && other.note.empty())
            other.note = std::move(match.note);
        match = std::move(other);
    }
    addAllBeside(runFolder, match);
    if (!match.paths.empty())
        return match;
    LaunchMatch script = elsewhere(m_others, runFolder, name);
    if (script.paths.empty())
        script = above(runFolder, name);
    // A script or a log that states nothing is no surprise.
    return script.paths.empty() ? match : script;
}

LaunchMatch LaunchFiles::above(std::string_view runFolder, std::string_view name) const {
    const auto& runs = m_runs.telemetryFolders();
    const bool isAlone = runs.size() == 1 && runs.contains(runFolder);
    LaunchMatch match;
    while (isAlone && !runFolder.empty() && match.paths.empty()) {
        runFolder = folderPart(runFolder);
        match = inRunFolder(runFolder, name);
        addAllBeside(runFolder, match);
    }
    return match;
}

void LaunchFiles::addAllBeside(std::string_view runFolder, LaunchMatch& match) const {
    for (const LaunchKind kind : {LaunchKind::Text, LaunchKind::Json})
        addBeside(runFolder, kind, match);
}

bool LaunchFiles::accept(const std::string& path, LaunchMatch& match) const {
    auto config = readLaunchFile(m_tree, path);
    if (!config.hasValue()) {
        match.note = config.error().describe();
        return false;
    }
    match = {{path}, std::move(config).value(), {}};
    return true;
}

void LaunchFiles::addBeside(std::string_view runFolder, LaunchKind kind, LaunchMatch& match) const {
    std::vector<std::string> paths;
    for (const std::string& path : m_others) {
        if (folderPart(path) == runFolder && launchKindOf(path) == kind)
            paths.push_back(path);
    }
    if (paths.size() > kMostBeside)
        return;
    LaunchMatch together;
    for (const std::string& path : paths) {
        LaunchMatch found;
        if (!accept(path, found))
            continue;
        if (!agree(together.config, found.config)) {
            match.note = together.paths.front() + " and " + path
                + " state different things; neither was used.";
            return;
        }
        join(found, together);
    }
    join(together, match);
}

LaunchMatch LaunchFiles::inRunFolder(std::string_view runFolder, std::string_view name) const {
    std::vector<std::string> named;
    std::vector<std::string> beside;
    std::vector<std::string> hydra;
    for (const std::string& path : m_yaml) {
        if (!isInside(path, runFolder))
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

LaunchMatch LaunchFiles::elsewhere(const std::vector<std::string>& files,
    std::string_view runFolder, std::string_view name) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(runFolder)));
    std::vector<Candidate> candidates;
    std::string note;
    for (const std::string& path : files) {
        if (!standsAsWord(stemOf(path), name) || isInside(path, runFolder))
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
