#include "importers/meters/MeterGroups.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/NaturalOrder.h"
#include "importers/common/RunFolders.h"

#include <algorithm>
#include <array>
#include <map>

namespace trainscope::importers::meters {

namespace {

constexpr std::array<std::string_view, 6> kNodeWords{
    "node", "host", "worker", "machine", "server", "bmc"};
constexpr std::array<std::string_view, 2> kSwitchWords{"switch", "sw"};

bool isBoundary(std::string_view name, std::size_t at) {
    return at == 0 || std::string_view("_-. ").find(name[at - 1]) != std::string_view::npos;
}

// The word with a number behind it; the place of both in the name.
struct Numbered {
    std::size_t begin = 0;
    std::size_t end = 0;
    int number = 0;
};
std::optional<Numbered> numbered(std::string_view name, std::string_view word) {
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1)) {
        std::size_t digits = at + word.size();
        while (digits < name.size() && (name[digits] == '-' || name[digits] == '_'))
            ++digits;
        std::size_t end = digits;
        while (end < name.size() && isDigit(name[end]))
            ++end;
        const auto number = wholeNumber<int>(name.substr(digits, end - digits));
        if (number && isBoundary(name, at) && *number < 100'000)
            return Numbered{at, end, *number};
    }
    return std::nullopt;
}

std::string withoutSuffix(std::string_view name) {
    for (const std::string_view suffix : {".gz", ".zst"}) {
        if (name.ends_with(suffix))
            name.remove_suffix(suffix.size());
    }
    const std::size_t dot = name.rfind('.');
    return std::string(dot != std::string_view::npos && dot > 0 ? name.substr(0, dot) : name);
}

std::string joinedPath(std::string_view folder, std::string_view name) {
    return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

std::string runNameOf(const SourceTree& tree, const MeterGroup& group) {
    const std::string& path = group.files.front().path;
    const std::string_view folder = folderPart(path);
    if (group.files.size() == 1)
        return withoutSuffix(path);
    std::string before = meterName(path).before;
    while (
        !before.empty() && std::string_view("_-. ").find(before.back()) != std::string_view::npos)
        before.pop_back();
    if (!before.empty())
        return joinedPath(folder, before);
    if (!folder.empty())
        return std::string(folder);
    const std::string root = tree.displayPath("");
    const std::string_view name
        = namePart(root.ends_with('/') ? std::string_view(root).substr(0, root.size() - 1)
                                       : std::string_view(root));
    return name.empty() ? "nodes" : std::string(name);
}

} // namespace

MeterName meterName(std::string_view path) {
    const std::string_view name = namePart(path);
    const std::string lower = lowered(name);
    MeterName out;
    const auto take = [&](const Numbered& found) {
        out.before = name.substr(0, found.begin);
        out.after = name.substr(found.end);
    };
    for (const std::string_view word : kNodeWords) {
        if (const auto found = numbered(lower, word)) {
            out.node = found->number;
            take(*found);
            return out;
        }
    }
    for (const std::string_view word : kSwitchWords) {
        if (const auto found = numbered(lower, word)) {
            out.switchName = "sw" + std::to_string(found->number);
            take(*found);
            return out;
        }
    }
    return out;
}

std::vector<MeterGroup> groupMeters(const SourceTree& tree, const std::vector<SourceFile>& files,
    const std::vector<std::string>& keys) {
    std::map<std::string, MeterGroup> groups;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const MeterName name = meterName(files[i].path);
        const bool isAlone = !name.node && name.switchName.empty();
        const std::string pattern = isAlone ? "file\n" + files[i].path
                                            : keys[i] + "\n"
                + std::string(folderPart(files[i].path)) + "\n" + name.before + "\n" + name.after;
        groups[pattern].files.push_back(files[i]);
    }
    std::vector<MeterGroup> result;
    for (auto& [pattern, group] : groups) {
        std::sort(
            group.files.begin(), group.files.end(), [](const SourceFile& a, const SourceFile& b) {
                const bool first = meterName(a.path).switchName.empty();
                const bool second = meterName(b.path).switchName.empty();
                return first != second ? first : text::naturalOrder(a.path, b.path) < 0;
            });
        group.runName = runNameOf(tree, group);
        result.push_back(std::move(group));
    }
    return result;
}

} // namespace trainscope::importers::meters
