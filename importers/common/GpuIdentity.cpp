#include "importers/common/GpuIdentity.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::importers {

namespace {

constexpr std::array<std::string_view, 18> kFamilies{"h100", "h200", "h800", "h20", "a100", "a800",
    "v100", "p100", "b100", "b200", "b300", "gh200", "gb200", "gb300", "mi210", "mi250", "mi300",
    "mi355"};

bool isWordCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z');
}

constexpr const char* kHost = "host";
constexpr const char* kHosts = "hosts";
constexpr const char* kAddresses = "PCI addresses";
constexpr std::size_t kMostTold = 1024; // by a source

void tell(std::map<std::string, std::string>& facts, const char* key, const ToldByRank& told) {
    std::vector<std::string> texts;
    for (const auto& [number, text] : told)
        texts.push_back(fmt::format("{}={}", number, text));
    if (!texts.empty() && texts.size() <= kMostTold)
        facts[key] = fmt::format("{}", fmt::join(texts, ", "));
}

ToldByRank toldIn(const std::map<std::string, std::string>& facts, const char* key) {
    ToldByRank told;
    const auto fact = facts.find(key);
    for (const std::string_view one :
        fact == facts.end() ? std::vector<std::string_view>{} : words(fact->second, ", ")) {
        const std::size_t equals = std::min(one.find('='), one.size() - 1);
        if (const auto number = wholeNumber<int>(one.substr(0, equals)))
            told[*number] = one.substr(equals + 1);
    }
    return told;
}

// Empty: it is not told.
std::string addressOf(
    const Gpu& gpu, const std::map<std::string, std::string>& facts, const ToldByRank& addresses) {
    if (const auto told = addresses.find(gpu.rank); told != addresses.end())
        return told->second;
    return valueAt(facts, fmt::format("GPU {} pci", gpu.local), std::string());
}

std::string plainUuid(std::string_view uuid) {
    constexpr std::string_view kPrefix = "GPU-";
    uuid.remove_prefix(uuid.starts_with(kPrefix) ? kPrefix.size() : 0);
    return lowered(uuid);
}

// The digits of a UUID or PCI address. A domain of PCI has four digits or eight.
std::string digitsOf(std::string_view id) {
    std::string digits;
    for (const char c : id) {
        const char small = lowerChar(c);
        if (isDigit(small) || (small >= 'a' && small <= 'f'))
            digits += small;
    }
    return digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

// "node-0" of "Node-0.cluster.local"; empty for what every host may be called. Addresses stay
// whole.
std::string hostName(std::string_view host) {
    std::string name = lowered(host);
    const bool isNumber = name.find_first_not_of("0123456789") == std::string::npos;
    if (name.find_first_not_of("0123456789.") != std::string::npos)
        name.resize(std::min(name.find('.'), name.size()));
    return isNumber || name == "localhost" || name.starts_with("127.") ? std::string() : name;
}

} // namespace

bool standsAsWord(std::string_view text, std::string_view word) {
    for (std::size_t at = word.empty() ? std::string_view::npos : text.find(word);
         at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isWordCharacter(text[at - 1]))
            && (end == text.size() || !isWordCharacter(text[end])))
            return true;
    }
    return false;
}

std::vector<std::string_view> gpuFamiliesIn(std::string_view folderName) {
    const std::string name = lowered(folderName);
    return thoseOf(kFamilies, [&](std::string_view family) { return standsAsWord(name, family); });
}

std::string gpuFamilyOfPath(std::string_view path) {
    for (; !path.empty(); path = folderPart(path)) {
        const auto families = gpuFamiliesIn(namePart(path));
        if (families.size() == 1)
            return inCapitals(families.front());
    }
    return {};
}

void tellGpus(ImportReport& report, const ToldByRank& hosts, const ToldByRank& addresses) {
    std::set<std::string> names = setOf(hosts, [](const auto& one) { return one.second; });
    if (names.size() == 1)
        report.facts[kHost] = *names.begin();
    else
        tell(report.facts, kHosts, hosts);
    tell(report.facts, kAddresses, addresses);
}

void moveTold(std::map<std::string, std::string>& facts, int ranks) {
    for (const char* key : {kHosts, kAddresses}) {
        ToldByRank moved;
        for (auto& [rank, text] : toldIn(facts, key))
            moved[rank + ranks] = text;
        tell(facts, key, moved);
    }
}

void identify(
    const std::vector<Gpu>& gpus, const std::map<std::string, std::string>& facts, GpuIds& ids) {
    const ToldByRank addresses = toldIn(facts, kAddresses);
    const ToldByRank hosts = toldIn(facts, kHosts);
    const auto host = facts.find(kHost);
    const std::set<int> nodes = setOf(gpus, &Gpu::node);
    for (const Gpu& gpu : gpus) {
        const auto add = [&](GpuId kind, const std::string& id) {
            ids[static_cast<std::size_t>(kind)].emplace(
                id, PlaceInRun{gpu.rank, gpu.node, gpu.local});
        };
        if (!gpu.uuid.empty())
            add(GpuId::Uuid, plainUuid(gpu.uuid));
        const auto named = hosts.find(gpu.rank);
        const std::string own = hostName(named != hosts.end() ? named->second
                : host != facts.end()                         ? host->second
                                                              : std::string());
        const std::string address = digitsOf(addressOf(gpu, facts, addresses));
        if (!address.empty() && !own.empty())
            add(GpuId::AddressOnHost, own + " " + address);
        if (!address.empty() && nodes.size() == 1)
            add(GpuId::Address, address);
        if (!own.empty())
            add(GpuId::IndexOnHost, own + " " + std::to_string(gpu.local));
    }
}

bool areSameGpu(std::string_view a, std::string_view b) {
    return !a.empty() && !b.empty() && digitsOf(plainUuid(a)) == digitsOf(plainUuid(b));
}

} // namespace trainscope::importers
