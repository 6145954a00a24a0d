#include "importers/common/NodeFiles.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/NaturalOrder.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers {

namespace {

constexpr std::array<std::string_view, 6> kNodeWords{
    "node", "host", "worker", "machine", "server", "bmc"};
constexpr std::array<std::string_view, 2> kSwitchWords{"switch", "sw"};

// Short words are parts of others.
bool mayBegin(std::string_view word, std::string_view name, std::size_t at) {
    constexpr std::size_t kLongEnough = 4;
    return word.size() >= kLongEnough || at == 0
        || std::string_view("_-. ").find(name[at - 1]) != std::string_view::npos;
}

// The word with a number behind it; the place of both in the name.
struct Numbered {
    std::size_t begin = 0;
    std::size_t digits = 0;
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
        if (number && mayBegin(word, name, at) && *number < 100'000)
            return Numbered{at, digits, end, *number};
    }
    return std::nullopt;
}

} // namespace

NodeFileName nodeFileName(std::string_view path) {
    const std::string_view name = namePart(path);
    const std::string lower = lowered(name);
    NodeFileName out;
    const auto take = [&](const Numbered& found) {
        out.before = name.substr(0, found.begin);
        out.word = name.substr(found.begin, found.digits - found.begin);
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

std::string withoutJoint(std::string name) {
    while (!name.empty() && std::string_view("_-. ").find(name.back()) != std::string_view::npos)
        name.pop_back();
    return name;
}

std::vector<std::vector<SourceFile>> groupByNode(
    const std::vector<SourceFile>& files, const std::vector<std::string>& keys) {
    std::map<std::string, std::vector<SourceFile>> groups;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const NodeFileName name = nodeFileName(files[i].path);
        const bool isAlone = !name.node && name.switchName.empty();
        const std::string pattern = isAlone ? "file\n" + files[i].path
                                            : (i < keys.size() ? keys[i] : std::string()) + "\n"
                + std::string(folderPart(files[i].path)) + "\n" + name.before + "\n" + name.after;
        groups[pattern].push_back(files[i]);
    }
    std::vector<std::vector<SourceFile>> result;
    for (auto& [pattern, group] : groups) {
        std::sort(group.begin(), group.end(), [](const SourceFile& a, const SourceFile& b) {
            const bool first = nodeFileName(a.path).switchName.empty();
            const bool second = nodeFileName(b.path).switchName.empty();
            return first != second ? first : text::naturalOrder(a.path, b.path) < 0;
        });
        result.push_back(std::move(group));
    }
    return result;
}

} // namespace trainscope::importers
