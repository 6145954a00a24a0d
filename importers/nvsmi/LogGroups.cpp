#include "importers/nvsmi/LogGroups.h"

#include "core/model/AsciiText.h"
#include "importers/common/RunFolders.h"

#include <algorithm>
#include <array>
#include <map>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::array<std::string_view, 5> kNodeWords{"node", "host", "worker", "machine", "server"};

// The path with the node's number taken out; empty when the name has none.
std::string patternOf(std::string_view path) {
    const std::string name = lowered(namePart(path));
    for (const std::string_view word : kNodeWords) {
        const std::size_t at = name.find(word);
        if (at == std::string::npos)
            continue;
        std::size_t begin = at + word.size();
        while (begin < name.size() && (name[begin] == '-' || name[begin] == '_'))
            ++begin;
        std::size_t end = begin;
        while (end < name.size() && isDigit(name[end]))
            ++end;
        if (end > begin)
            return std::string(folderPart(path)) + "/" + name.substr(0, begin) + "#"
                + name.substr(end);
    }
    return {};
}

// "node2" before "node10".
bool naturalLess(const SourceFile& a, const SourceFile& b) {
    if (a.path.size() != b.path.size())
        return a.path.size() < b.path.size();
    return a.path < b.path;
}

std::string groupName(const LogGroup& group) {
    const std::string_view folder = folderPart(group.files.front().path);
    if (!folder.empty())
        return std::string(folder);
    const std::string pattern = patternOf(group.files.front().path);
    std::string stem(withoutSuffixes(namePart(pattern)));
    stem.erase(std::min(stem.find('#'), stem.size()));
    while (!stem.empty() && (stem.back() == '_' || stem.back() == '-'))
        stem.pop_back();
    return stem;
}

} // namespace

std::string stemOf(std::string_view path) {
    return std::string(withoutSuffixes(namePart(path)));
}

std::vector<LogGroup> groupLogs(const std::vector<SourceFile>& files) {
    std::map<std::string, LogGroup> nodes;
    std::map<std::string, int> stems;
    std::vector<LogGroup> groups;
    for (const SourceFile& file : files) {
        const std::string pattern = patternOf(file.path);
        nodes[pattern.empty() ? "file " + file.path : pattern].files.push_back(file);
        ++stems[stemOf(file.path)];
    }
    for (auto& [pattern, group] : nodes) {
        std::sort(group.files.begin(), group.files.end(), naturalLess);
        if (group.files.size() > 1)
            group.runName = groupName(group);
        else if (stems[stemOf(group.files.front().path)] > 1)
            group.runName = withoutSuffixes(group.files.front().path);
        else
            group.runName = stemOf(group.files.front().path);
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace trainscope::importers::nvsmi
