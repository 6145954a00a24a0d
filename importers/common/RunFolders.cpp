#include "importers/common/RunFolders.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Names.h"

namespace trainscope::importers {
namespace {

constexpr std::array<std::string_view, 19> kGpuMetrics{"gpu_power", "mem_power", "power",
    "gpu_thermal", "mem_thermal", "sm_clock", "mem_clock", "gpu_clock", "gpu_util", "mem_util",
    "nvlink_rx_throughput", "nvlink_tx_throughput", "pcie_rx_bytes", "pcie_tx_bytes",
    "pcie_rx_throughput", "pcie_tx_throughput", "gpu_temperature", "mem_temperature", "thermal"};

constexpr std::string_view kRank = "_rank_";
constexpr std::string_view kDevice = "_id_";
constexpr std::size_t kMaxSuffix = 5;
constexpr int kMaxRank = 1'000'000;

// Takes off one suffix, and before it one of a compressed file: ".csv.gz".
std::string_view stemOf(std::string_view name) {
    for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"}) {
        if (name.ends_with(packed)) {
            name.remove_suffix(packed.size());
            break;
        }
    }
    const std::size_t dot = name.rfind('.');
    const std::string_view suffix
        = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
    const bool isSuffix = !suffix.empty() && suffix.size() <= kMaxSuffix
        && std::ranges::all_of(
            suffix, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    return isSuffix ? name.substr(0, dot) : name;
}

std::optional<int> rankIn(std::string_view digits) {
    const auto rank = wholeNumber<int>(digits);
    return rank && *rank >= 0 && *rank <= kMaxRank ? rank : std::nullopt;
}

bool isMetricText(std::string_view text) {
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z'
        && std::ranges::all_of(text,
            [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<TelemetryName> systemName(std::string_view stem) {
    const std::size_t rankAt = stem.rfind(kRank);
    if (rankAt == std::string_view::npos)
        return std::nullopt;
    TelemetryName name;
    name.isSystem = true;
    name.isKnown = true;
    name.metric = stem.substr(0, rankAt);
    std::string_view rest = stem.substr(rankAt + kRank.size());
    const std::size_t deviceAt = rest.find(kDevice);
    if (deviceAt != std::string_view::npos)
        name.device = rest.substr(deviceAt + kDevice.size());
    const auto rank = rankIn(rest.substr(0, deviceAt));
    if (!rank || !isMetricText(name.metric))
        return std::nullopt;
    name.rank = *rank;
    return name;
}

struct KinetoFolder {
    std::string_view run; // the folder above
    long number = 0;
};

// "10_kineto" → 10.
std::optional<long> kinetoNumber(std::string_view name) {
    constexpr std::string_view kEnding = "_kineto";
    if (!name.ends_with(kEnding))
        return std::nullopt;
    const auto number = wholeNumber<long>(name.substr(0, name.size() - kEnding.size()));
    return number && *number >= 0 ? number : std::nullopt;
}

// The nearest `<N>_kineto` folder above a file.
std::optional<KinetoFolder> kinetoFolderOf(std::string_view path) {
    while (!path.empty()) {
        path = folderPart(path);
        if (const auto number = kinetoNumber(namePart(path)))
            return KinetoFolder{folderPart(path), *number};
    }
    return std::nullopt;
}

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

std::optional<TelemetryName> telemetryName(std::string_view fileName) {
    constexpr std::string_view kSystem = "system_";
    const std::string_view stem = stemOf(fileName);
    if (stem.starts_with(kSystem)) {
        if (auto name = systemName(stem.substr(kSystem.size())))
            return name;
    }
    const std::size_t underscore = stem.rfind('_');
    if (underscore == std::string_view::npos)
        return std::nullopt;
    const auto rank = rankIn(stem.substr(underscore + 1));
    TelemetryName name;
    name.metric = stem.substr(0, underscore);
    if (!rank || !isMetricText(name.metric))
        return std::nullopt;
    name.rank = *rank;
    name.isKnown = std::ranges::find(kGpuMetrics, name.metric) != kGpuMetrics.end();
    return name;
}

std::string_view folderPart(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view namePart(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view fabricOf(std::string_view path) {
    std::string_view folder = namePart(folderPart(path));
    for (const std::string_view before : {"nccl_", "rccl_"}) {
        if (folder.starts_with(before))
            return folder.substr(before.size());
    }
    return folder;
}

std::string_view withoutEndings(std::string_view name, std::span<const std::string_view> endings) {
    const auto found = std::ranges::find_if(endings, [name](std::string_view ending) {
        return name.size() > ending.size() && name.ends_with(ending);
    });
    return found == endings.end()
        ? name
        : withoutEndings(name.substr(0, name.size() - found->size()), endings);
}

std::string_view unpacked(std::string_view path) {
    constexpr std::array<std::string_view, 2> kPacked{".gz", ".zst"};
    return withoutEndings(path, kPacked);
}

std::string_view withoutSuffixes(std::string_view path) {
    path = unpacked(path);
    const std::size_t dot = path.rfind('.');
    const std::size_t nameBegin = path.size() - namePart(path).size();
    return dot != std::string_view::npos && dot > nameBegin ? path.substr(0, dot) : path;
}

RunFolders::RunFolders(const SourceTree& tree)
    : m_rootName(namePart(tree.displayPath({}))) {
    for (const SourceFile& file : tree.files()) {
        const auto name = telemetryName(namePart(file.path));
        if (name && name->isKnown)
            m_telemetry.emplace(folderPart(file.path));
        if (const auto kineto = kinetoFolderOf(file.path)) {
            long& highest = m_kineto.try_emplace(std::string(kineto->run), 0).first->second;
            highest = std::max(highest, kineto->number);
        }
    }
}

std::optional<std::string> RunFolders::folderOf(std::string_view path) const {
    while (!path.empty()) {
        path = folderPart(path);
        if (m_telemetry.contains(path) || m_kineto.contains(path))
            return std::string(path);
    }
    return std::nullopt;
}

std::string RunFolders::nameOf(std::string_view folder) const {
    if (!folder.empty())
        return std::string(folder);
    return m_rootName.empty() ? "run" : m_rootName;
}

bool RunFolders::isSuperseded(std::string_view path) const {
    const auto kineto = kinetoFolderOf(path);
    if (!kineto)
        return false;
    const auto highest = m_kineto.find(kineto->run);
    return highest != m_kineto.end() && kineto->number < highest->second;
}

bool RunFolders::hasTelemetry(std::string_view folder) const {
    return m_telemetry.contains(folder);
}

bool isInside(std::string_view file, std::string_view folder) {
    return folder.empty()
        || (file.starts_with(folder) && file.size() > folder.size() && file[folder.size()] == '/');
}

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
