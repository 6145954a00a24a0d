#include "core/analysis/derived/Formula.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace trainscope::analysis {
namespace {

constexpr char kSign = '=';
// Deeper ones are no formulas that anyone means.
constexpr int kMostNested = 32;

struct FormulaWord {
    std::string_view word;
    Formula::Kind kind;
};
constexpr std::array<FormulaWord, 3> kFormulaWords{{{"sum", Formula::Kind::NodeSum},
    {"total", Formula::Kind::RunSum}, {"rate", Formula::Kind::Rate}}};

bool isOfName(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
}

class FormulaReader {
public:
    explicit FormulaReader(std::string_view text)
        : m_rest(text) { }

    Result<Formula> whole() {
        ASSIGN_OR_RETURN(auto formula, difference());
        if (!peek())
            return formula;
        return wrong("an operation (-, /) or the end");
    }

private:
    // The next character that is no blank; absent at the end.
    std::optional<char> peek() {
        m_rest = trimmed(m_rest);
        return m_rest.empty() ? std::nullopt : std::optional(m_rest.front());
    }
    bool take(char wanted) {
        if (peek() != wanted)
            return false;
        m_rest.remove_prefix(1);
        return true;
    }
    [[nodiscard]] Error wrong(std::string_view expected) const {
        return usageError(m_rest.empty()
                ? fmt::format("The formula ends where {} should follow.", expected)
                : fmt::format("The formula cannot be read at \"{}\": {} should stand there.",
                    m_rest, expected));
    }

    Result<Formula> difference() {
        ASSIGN_OR_RETURN(auto left, ratio());
        while (take('-')) {
            ASSIGN_OR_RETURN(auto right, ratio());
            left = {Formula::Kind::Difference, {}, {}, {}, {std::move(left), std::move(right)}};
        }
        return left;
    }
    Result<Formula> ratio() {
        ASSIGN_OR_RETURN(auto left, operand());
        while (take('/')) {
            ASSIGN_OR_RETURN(auto right, operand());
            left = {Formula::Kind::Ratio, {}, {}, {}, {std::move(left), std::move(right)}};
        }
        return left;
    }
    Result<Formula> inBrackets() {
        if (++m_nested > kMostNested)
            return usageError("The formula has too many brackets inside each other.");
        ASSIGN_OR_RETURN(auto formula, difference());
        --m_nested;
        if (!take(')'))
            return wrong("a closing bracket");
        return formula;
    }
    Result<Formula> operand() {
        if (take('('))
            return inBrackets();
        if (take('"'))
            return quoted();
        std::size_t length = 0;
        while (length < m_rest.size() && isOfName(m_rest[length]))
            ++length;
        if (length == 0)
            return wrong("a metric or an opening bracket");
        const std::string_view name = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        const auto word = std::ranges::find(kFormulaWords, name, &FormulaWord::word);
        if (word == kFormulaWords.end() || !take('('))
            return series(std::string(name));
        ASSIGN_OR_RETURN(auto part, inBrackets());
        return Formula{word->kind, {}, {}, {}, {std::move(part)}};
    }
    Result<Formula> quoted() {
        const std::size_t end = m_rest.find('"');
        if (end == std::string_view::npos)
            return wrong("a closing quotation mark");
        std::string name(m_rest.substr(0, end));
        m_rest.remove_prefix(end + 1);
        return series(std::move(name));
    }
    Result<Formula> series(std::string name) {
        Formula formula{Formula::Kind::Series, std::move(name), {}, {}, {}};
        if (take('[')) {
            ASSIGN_OR_RETURN(formula.rank, integer("the number of a rank"));
            if (!take(']'))
                return wrong("a closing bracket");
        }
        if (take('@')) {
            ASSIGN_OR_RETURN(const int run, integer("the place of a run"));
            if (run < 1)
                return usageError("Runs are counted from 1: the first that is shown is @1.");
            formula.run = static_cast<std::size_t>(run - 1);
        }
        return formula;
    }
    Result<int> integer(std::string_view expected) {
        m_rest = trimmed(m_rest);
        int value = 0;
        const auto read = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (read.ec != std::errc() || value < 0)
            return wrong(expected);
        m_rest.remove_prefix(static_cast<std::size_t>(read.ptr - m_rest.data()));
        return value;
    }

    std::string_view m_rest;
    int m_nested = 0;
};

std::string seriesText(const Formula& formula) {
    const std::string& name = formula.metric;
    const bool isPlain = !name.empty() && std::ranges::all_of(name, isOfName);
    std::string text = isPlain ? name : '"' + name + '"';
    if (formula.rank)
        text += fmt::format("[{}]", *formula.rank);
    if (formula.run)
        text += fmt::format("@{}", *formula.run + 1);
    return text;
}

std::string partText(const Formula& formula);

std::string wholeText(const Formula& formula) {
    switch (formula.kind) {
    case Formula::Kind::Series:
        return seriesText(formula);
    case Formula::Kind::Difference:
        return fmt::format("{} - {}",
            formula.parts[0].kind == Formula::Kind::Difference ? wholeText(formula.parts[0])
                                                               : partText(formula.parts[0]),
            partText(formula.parts[1]));
    case Formula::Kind::Ratio:
        return fmt::format("{} / {}", partText(formula.parts[0]), partText(formula.parts[1]));
    default:
        break;
    }
    const auto word = std::ranges::find(kFormulaWords, formula.kind, &FormulaWord::kind);
    return fmt::format("{}({})", word->word, wholeText(formula.parts[0]));
}

bool isOfTwo(const Formula& formula) {
    return formula.kind == Formula::Kind::Difference || formula.kind == Formula::Kind::Ratio;
}

std::string partText(const Formula& formula) {
    return isOfTwo(formula) ? '(' + wholeText(formula) + ')' : wholeText(formula);
}

// "rank 0 of base"; empty for every GPU of every run.
std::string partOf(const Formula& series, const FormulaWords& words) {
    std::string text = series.rank ? fmt::format("rank {}", *series.rank) : std::string();
    if (series.run)
        text += (text.empty() ? "" : " of ") + words.runOf(*series.run);
    return text;
}

std::string formulaTitle(const Formula& formula, const FormulaWords& words);

std::string titlePart(const Formula& formula, const FormulaWords& words) {
    return isOfTwo(formula) ? '(' + formulaTitle(formula, words) + ')'
                            : formulaTitle(formula, words);
}

std::string differenceTitle(const Formula& a, const Formula& b, const FormulaWords& words) {
    const bool isOfOne = a.kind == Formula::Kind::Series && b.kind == Formula::Kind::Series
        && a.metric == b.metric;
    const std::string left = isOfOne ? partOf(a, words) : std::string();
    const std::string right = isOfOne ? partOf(b, words) : std::string();
    if (!left.empty() && !right.empty())
        return fmt::format("{}: {} − {}", words.labelOf(a.metric), left, right);
    return fmt::format("{} − {}",
        a.kind == Formula::Kind::Difference ? formulaTitle(a, words) : titlePart(a, words),
        titlePart(b, words));
}

std::string formulaTitle(const Formula& formula, const FormulaWords& words) {
    switch (formula.kind) {
    case Formula::Kind::Series: {
        const std::string part = partOf(formula, words);
        return words.labelOf(formula.metric) + (part.empty() ? "" : ", " + part);
    }
    case Formula::Kind::Difference:
        return differenceTitle(formula.parts[0], formula.parts[1], words);
    case Formula::Kind::Ratio:
        return fmt::format(
            "{} / {}", titlePart(formula.parts[0], words), titlePart(formula.parts[1], words));
    case Formula::Kind::NodeSum:
        return formulaTitle(formula.parts[0], words) + ", sum by node";
    case Formula::Kind::RunSum:
        return formulaTitle(formula.parts[0], words) + ", sum of the run";
    case Formula::Kind::Rate:
        break;
    }
    return formulaTitle(formula.parts[0], words) + ", change per second";
}

// Units above and below the line.
struct UnitParts {
    std::vector<std::string> above;
    std::vector<std::string> below;
};

void addUnits(std::string_view text, std::vector<std::string>& into) {
    constexpr std::string_view kTimes = "·";
    constexpr std::string_view kSquared = "²";
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(kTimes), text.size());
        std::string_view unit = text.substr(0, end);
        text.remove_prefix(std::min(end + kTimes.size(), text.size()));
        const bool isSquared = unit.ends_with(kSquared);
        if (isSquared)
            unit.remove_suffix(kSquared.size());
        if (unit == "1" || unit.empty())
            continue;
        into.insert(into.end(), isSquared ? 2 : 1, std::string(unit));
    }
}

void cancelUnits(UnitParts& parts) {
    for (auto above = parts.above.begin(); above != parts.above.end();) {
        const auto same = std::ranges::find(parts.below, *above);
        if (same == parts.below.end()) {
            ++above;
            continue;
        }
        parts.below.erase(same);
        above = parts.above.erase(above);
    }
}

bool takeUnit(std::vector<std::string>& from, std::string_view unit) {
    const auto found = std::ranges::find(from, unit);
    if (found == from.end())
        return false;
    from.erase(found);
    return true;
}

std::string joinedUnits(const std::vector<std::string>& units) {
    std::string text;
    for (std::size_t i = 0; i < units.size(); ++i) {
        text += (text.empty() ? "" : "·") + units[i];
        if (i + 1 < units.size() && units[i + 1] == units[i]) {
            text += "²";
            ++i;
        }
    }
    return text;
}

} // namespace

bool isFormula(std::string_view text) {
    return text.find(kSign) != std::string_view::npos;
}

Result<NamedFormula> parseFormula(std::string_view text) {
    const std::size_t sign = text.find(kSign);
    if (sign == std::string_view::npos)
        return usageError("A formula begins with =, as in =sum(gpu_power).");
    NamedFormula named{std::string(trimmed(text.substr(0, sign))), {}};
    ASSIGN_OR_RETURN(named.formula, FormulaReader(text.substr(sign + 1)).whole());
    return named;
}

std::string formulaText(const NamedFormula& formula) {
    return formula.name + (formula.name.empty() ? "=" : " = ") + wholeText(formula.formula);
}

std::string titleOf(const NamedFormula& formula, const FormulaWords& words) {
    return formula.name.empty() ? formulaTitle(formula.formula, words) : formula.name;
}

bool namesRuns(const Formula& formula) {
    if (formula.kind == Formula::Kind::Series)
        return formula.run.has_value();
    return std::ranges::all_of(formula.parts, namesRuns);
}

std::string unitOfRatio(std::string_view unit, std::string_view by) {
    UnitParts parts;
    const auto split = [](std::string_view text) {
        const std::size_t line = std::min(text.find('/'), text.size());
        return std::pair(
            text.substr(0, line), line < text.size() ? text.substr(line + 1) : std::string_view());
    };
    const auto [above, below] = split(unit);
    const auto [byAbove, byBelow] = split(by);
    addUnits(above, parts.above);
    addUnits(byBelow, parts.above);
    addUnits(below, parts.below);
    addUnits(byAbove, parts.below);
    cancelUnits(parts);
    if (std::ranges::count(parts.above, "W") > 0 && takeUnit(parts.above, "s")) {
        takeUnit(parts.above, "W");
        parts.above.insert(parts.above.begin(), "J");
    }
    if (std::ranges::count(parts.above, "J") > 0 && takeUnit(parts.below, "s")) {
        takeUnit(parts.above, "J");
        parts.above.insert(parts.above.begin(), "W");
    }
    const std::string left = parts.above.empty() ? "1" : joinedUnits(parts.above);
    return parts.below.empty() ? left : left + "/" + joinedUnits(parts.below);
}

} // namespace trainscope::analysis
