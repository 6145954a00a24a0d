#include "importers/registry/RunNames.h"

#include "core/model/AsciiText.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers {

namespace {

// "run_1", "attempt 2", "log": said of every attempt. "memory": of every job.
constexpr std::array<std::string_view, 21> kAttempts{"run", "runs", "attempt", "attempts", "try",
    "trial", "restart", "version", "log", "logs", "out", "output", "results", "stdout", "err",
    "stderr", "tb", "tensorboard", "node", "rank", "worker"};
constexpr std::array<std::string_view, 3> kMemory{"memory", "mem", "snapshot"};

bool isMadeOf(std::span<const std::string_view> words, std::string_view name) {
    const std::string text = lowered(name);
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const bool isPart = at == text.size()
            || std::string_view("_-. =/").find(text[at]) != std::string_view::npos
            || isDigit(text[at]);
        if (!isPart)
            continue;
        const std::string_view word = std::string_view(text).substr(begin, at - begin);
        if (!word.empty() && std::ranges::find(words, word) == words.end())
            return false;
        begin = at + 1;
    }
    return true;
}

// The last `count` parts of a path.
std::string endOf(const std::string& path, int count) {
    std::size_t begin = path.size();
    while (count-- > 0 && begin != std::string::npos)
        begin = begin == 0 ? std::string::npos : path.rfind('/', begin - 1);
    return begin == std::string::npos ? path : path.substr(begin + 1);
}

// Longer ends until each is the name of one run.
void lengthen(std::map<std::string, int>& parts) {
    for (bool isChanged = true; isChanged;) {
        isChanged = false;
        std::map<std::string, int> uses;
        for (const auto& [path, count] : parts)
            ++uses[endOf(path, count)];
        for (auto& [path, count] : parts) {
            const std::string name = endOf(path, count);
            if (name == path
                || (uses[name] == 1 && !isMadeOf(kAttempts, name) && !isMadeOf(kMemory, name)))
                continue;
            ++count;
            isChanged = true;
        }
    }
}

void rename(ImportUnit& unit, const std::map<std::string, int>& parts) {
    const auto change = [&parts](std::string& name) {
        if (const auto found = parts.find(name); found != parts.end())
            name = endOf(name, found->second);
    };
    change(unit.runName);
    if (unit.machine)
        std::ranges::for_each(unit.machine->runs, change);
    for (std::string& note : unit.notes) {
        for (const auto& [path, count] : parts) {
            const std::string quoted = "\"" + path + "\"";
            if (const auto at = note.find(quoted); at != std::string::npos)
                note.replace(at, quoted.size(), "\"" + endOf(path, count) + "\"");
        }
    }
}

// "job7/memory", by the nearest folder that is called otherwise and has all files of the run.
void nameBehindFolders(const SourceTree& tree, std::vector<ImportUnit>& units) {
    std::map<std::string, std::string> folders;
    const auto isVague = [](const ImportUnit& unit) {
        return !unit.machine && !unit.files.empty() && isMadeOf(kMemory, unit.runName)
            && !isMadeOf({}, unit.runName); // a number
    };
    for (const ImportUnit& unit : units) {
        if (!isVague(unit))
            continue;
        const std::string file = tree.displayPath(unit.files.front());
        std::string& folder = folders.try_emplace(unit.runName, folderPart(file)).first->second;
        while (!folder.empty() && (!isInside(file, folder) || isMadeOf(kMemory, namePart(folder))))
            folder = folderPart(folder);
    }
    for (ImportUnit& unit : units) {
        const std::string folder = isVague(unit) ? folders[unit.runName] : std::string();
        if (!folder.empty())
            unit.runName = std::string(namePart(folder)) + "/" + unit.runName;
    }
}

} // namespace

void shortenNames(std::vector<ImportUnit>& units, std::map<std::string, int> parts) {
    lengthen(parts);
    for (ImportUnit& unit : units)
        rename(unit, parts);
}

void nameRuns(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders folders(tree);
    std::map<std::string, int> parts;
    nameBehindFolders(tree, units);
    for (const ImportUnit& unit : units) {
        if (unit.machine || unit.files.empty())
            continue;
        const std::string& file = unit.files.front();
        const bool isFixed
            = folders.folderOf(file).has_value() || !isInside(file, folderPart(unit.runName));
        int& count = parts[unit.runName];
        count = std::max(count, isFixed ? std::numeric_limits<int>::max() : 1);
    }
    shortenNames(units, std::move(parts));
}

} // namespace trainscope::importers
