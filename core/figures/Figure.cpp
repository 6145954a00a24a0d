#include "core/figures/Figure.h"

#include "core/text/Table.h"

namespace trainscope::figures {

using namespace plot;

std::vector<std::string> sourcesOf(
    const store::Store& store, const std::vector<std::pair<RunId, std::string>>& runs) {
    const auto sources = store.sources();
    if (!sources.hasValue())
        return {};
    std::set<std::string> hashes;
    for (const auto& source : sources.value()) {
        const bool isUsed = std::ranges::any_of(source.runs, [&](RunId id) {
            return std::ranges::any_of(runs, [id](const auto& run) { return run.first == id; });
        });
        if (isUsed && !source.hash.empty())
            hashes.insert(source.hash);
    }
    return {hashes.begin(), hashes.end()};
}

namespace {

constexpr std::size_t kMostNamed = 2; // runs
constexpr std::size_t kLongestName = 48; // characters of a run's name in the name of a file

bool isOfNames(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || std::string_view("._+").find(c) != std::string_view::npos
        || static_cast<unsigned char>(c) >= 0x80U; // letters of other languages
}

// Anything else becomes a hyphen, once.
std::string safeName(std::string_view text) {
    std::string name;
    for (const char c : text) {
        if (isOfNames(c))
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (name.ends_with('-'))
        name.pop_back();
    return name;
}

} // namespace

std::string fileNameOf(
    std::string_view view, const std::vector<std::pair<RunId, std::string>>& runs) {
    std::string name = safeName(view);
    if (runs.size() > kMostNamed)
        return fmt::format("{}-{}-runs", name, runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string run = safeName(text::elidedInMiddle(runs[i].second, kLongestName));
        if (!run.empty())
            name += (i == 0 ? "-" : "-and-") + run;
    }
    return name;
}

} // namespace trainscope::figures
