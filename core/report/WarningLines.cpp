#include "core/report/WarningLines.h"

#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::report {

namespace {

constexpr std::string_view kMarks = "\"'()[]{},;:.";

std::string_view withoutMarks(std::string_view word) {
    const auto first = word.find_first_not_of(kMarks);
    if (first == std::string_view::npos)
        return {};
    return word.substr(first, word.find_last_not_of(kMarks) + 1 - first);
}

// The next word, or all of what stands in quotation marks; both leave `text`.
std::string_view takeWord(std::string_view& text) {
    const bool isQuoted = text.starts_with('"');
    const auto close = isQuoted ? text.find('"', 1) : std::string_view::npos;
    const auto end = text.find(' ', close == std::string_view::npos ? 0 : close);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return word;
}

// The text without numbers, ranges and names of files, and without the difference of one and many:
// a number takes its noun or unit along.
std::string kindOf(std::string_view text) {
    static const std::map<std::string_view, std::string_view> kSingular{
        {"are", "is"}, {"were", "was"}, {"have", "has"}, {"ranks", "rank"}, {"times", "time"}};
    std::string kind;
    bool isBehindNumber = false;
    while (!text.empty()) {
        const bool isQuoted = text.starts_with('"');
        const std::string_view word = withoutMarks(takeWord(text));
        const bool isParticular = word.find_first_of("0123456789/\\_.") != std::string_view::npos;
        if (isQuoted || isParticular) {
            isBehindNumber = !isQuoted;
            continue;
        }
        if (!std::exchange(isBehindNumber, false)) {
            const auto one = kSingular.find(word);
            kind.append(one == kSingular.end() ? word : one->second).append(" ");
        }
    }
    return kind;
}

std::string textOf(const ImportWarning& warning) {
    if (warning.file.empty())
        return warning.text;
    return warning.line > 0 ? fmt::format("{}:{}: {}", warning.file, warning.line, warning.text)
                            : fmt::format("{}: {}", warning.file, warning.text);
}

struct Group {
    const ImportWarning* first;
    std::set<std::string_view> files = {};
    std::int64_t count = 0; // warnings
    std::int64_t more = 0; // files that are not named

    void add(const ImportWarning& warning) {
        files.insert(warning.file);
        count += warning.files;
        more += warning.files - 1;
    }
    [[nodiscard]] WarningLine line() const {
        const std::int64_t inFiles = std::ssize(files) + more;
        const std::string rest = count == 1 ? ""
            : inFiles == 1
            ? fmt::format(" (and {} more)", count - 1)
            : fmt::format(" (and {} more, in {})", count - 1, text::counted(inFiles, "file"));
        return {first->severity, textOf(*first) + rest};
    }
};

} // namespace

std::vector<WarningLine> groupedWarnings(
    const std::vector<ImportWarning>& warnings, std::size_t most) {
    std::vector<Group> groups;
    std::map<std::pair<Severity, std::string>, std::size_t> places;
    for (const ImportWarning& warning : warnings) {
        const std::string kind = most == 0 ? std::to_string(groups.size()) : kindOf(warning.text);
        const auto [place, isNew]
            = places.emplace(std::pair(warning.severity, kind), groups.size());
        if (isNew)
            groups.push_back({&warning});
        groups[place->second].add(warning);
    }
    std::ranges::stable_sort(groups, {}, [](const Group& group) { return group.first->severity; });
    const bool isCut = most > 0 && groups.size() > most;
    std::vector<WarningLine> lines;
    std::int64_t hidden = 0;
    for (const Group& group : groups) {
        if (!isCut || lines.size() + 1 < most)
            lines.push_back(group.line());
        else
            hidden += group.count;
    }
    if (isCut)
        lines.push_back({groups[most - 1].first->severity,
            fmt::format("There are {} of {} besides.", text::counted(hidden, "warning"),
                text::counted(std::ssize(groups) - std::ssize(lines), "kind"))});
    return lines;
}

std::vector<ImportWarning> warningsOf(const ImportReport& report) {
    auto warnings = report.warnings;
    std::int64_t kept = 0;
    for (const ImportWarning& warning : warnings)
        kept += warning.files;
    if (report.warningCount > kept)
        warnings.push_back({warnings.empty() ? std::string() : warnings.front().file, 0,
            fmt::format("{} of this source are not listed.",
                text::counted(report.warningCount - kept, "further warning")),
            1, Severity::Remark});
    return warnings;
}

std::vector<ImportWarning> warningsOf(const analysis::RunSummary& summary) {
    std::vector<ImportWarning> warnings;
    for (const std::string& text : summary.warnings)
        warnings.push_back({summary.run.name, 0, text});
    return warnings;
}

} // namespace trainscope::report
