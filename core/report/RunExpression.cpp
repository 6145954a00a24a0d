#include "core/report/RunExpression.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Names.h"
#include "core/text/NearWord.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace trainscope::report {

namespace {

using Holds = std::function<bool(const RunRecord&)>;

enum class Operator { Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual, Has, HasNot };

// Longer signs stand before those they begin with.
constexpr std::array<std::pair<std::string_view, Operator>, 10> kOperators{{{"==", Operator::Equal},
    {"!=", Operator::Unequal}, {"<>", Operator::Unequal}, {"!~", Operator::HasNot},
    {"<=", Operator::LessOrEqual}, {">=", Operator::GreaterOrEqual}, {"=", Operator::Equal},
    {"<", Operator::Less}, {">", Operator::Greater}, {"~", Operator::Has}}};

bool isWordChar(char c) {
    return isDigit(c) || c == '_' || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z');
}

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The word of a column that was likely meant; empty: none is near.
std::string nearestWord(std::string_view given) {
    std::vector<std::string> all;
    for (const RunColumn& column : runColumns())
        all.insert(all.end(), column.words.begin(), column.words.end());
    return text::nearWord(given, all);
}

bool isOrdered(Operator comparison, std::partial_ordering order) {
    switch (comparison) {
    case Operator::Less:
        return order < 0;
    case Operator::LessOrEqual:
        return order <= 0;
    case Operator::Greater:
        return order > 0;
    case Operator::GreaterOrEqual:
        return order >= 0;
    default:
        return order == 0;
    }
}

Holds compareNumber(std::size_t column, Operator comparison, double wanted) {
    return [column, comparison, wanted](const RunRecord& run) {
        const RunValue value = runColumns()[column].value(run);
        const auto* number = std::get_if<double>(&value);
        if (number == nullptr)
            return false;
        // The factor of a unit leaves a rounding error.
        const bool isEqual = std::abs(*number - wanted) <= 1e-9 * std::abs(wanted);
        return isOrdered(
            comparison, isEqual ? std::partial_ordering::equivalent : (*number <=> wanted));
    };
}

Holds compareText(std::size_t column, Operator comparison, const std::string& given) {
    return [column, comparison, wanted = lowered(given)](const RunRecord& run) {
        const RunValue value = runColumns()[column].value(run);
        const auto fits = [&](const std::string& text) {
            const std::string own = lowered(text);
            if (comparison == Operator::Has)
                return own.find(wanted) != std::string::npos;
            if (comparison == Operator::Equal)
                return own == wanted;
            return isOrdered(comparison, text::naturalOrder(own, wanted));
        };
        if (const auto* text = std::get_if<std::string>(&value))
            return fits(*text);
        const auto* texts = std::get_if<std::vector<std::string>>(&value);
        return texts != nullptr && std::any_of(texts->begin(), texts->end(), fits);
    };
}

Holds opposite(Holds holds) {
    return [holds = std::move(holds)](const RunRecord& run) { return !holds(run); };
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text) { }

    Result<RunExpression> parse() {
        if (isAtEnd())
            return RunExpression{[](const RunRecord&) { return true; }, false};
        ASSIGN_OR_RETURN(auto holds, any());
        if (!isAtEnd())
            return wrong(m_text[m_at] == ')' ? "this ) closes nothing"
                                             : "“and” or “or” is expected before the next part");
        return RunExpression{std::move(holds), m_asksMeasured};
    }

private:
    Result<Holds> any() {
        ASSIGN_OR_RETURN(auto holds, all());
        while (takeWord("or") || take("||")) {
            ASSIGN_OR_RETURN(auto other, all());
            holds = [a = std::move(holds), b = std::move(other)](
                        const RunRecord& run) { return a(run) || b(run); };
        }
        return holds;
    }

    Result<Holds> all() {
        ASSIGN_OR_RETURN(auto holds, one());
        while (takeWord("and") || take("&&")) {
            ASSIGN_OR_RETURN(auto other, one());
            holds = [a = std::move(holds), b = std::move(other)](
                        const RunRecord& run) { return a(run) && b(run); };
        }
        return holds;
    }

    Result<Holds> one() {
        // As deep as anybody writes; a recursion without end is none of ours.
        if (m_depth > 100)
            return wrong("the parts are nested too deeply");
        ++m_depth;
        auto holds = inner();
        --m_depth;
        return holds;
    }

    Result<Holds> inner() {
        if (takeWord("not") || (!startsWith("!=") && !startsWith("!~") && take("!"))) {
            ASSIGN_OR_RETURN(auto holds, one());
            return opposite(std::move(holds));
        }
        const std::size_t open = skipBlanks();
        if (!take("("))
            return comparison();
        ASSIGN_OR_RETURN(auto holds, any());
        if (!take(")"))
            return wrong(fmt::format("a ) is expected for the ( at character {}", place(open)));
        return holds;
    }

    Result<Holds> comparison() {
        const std::size_t begin = skipBlanks();
        const std::string_view word = peekWord();
        if (word.empty())
            return wrong("the name of a column is expected, as in power > 600");
        m_at += word.size();
        const auto column = runColumnNamed(word);
        if (!column)
            return unknownColumn(word, begin);
        m_asksMeasured = m_asksMeasured || runColumns()[*column].isMeasured;
        const auto sign = takeOperator();
        if (!sign)
            return wrong(fmt::format("after “{}” one of = != < <= > >= ~ !~ is expected", word));
        return operand(*column, word, *sign);
    }

    Result<Holds> operand(std::size_t column, std::string_view word, Operator sign) {
        const std::size_t begin = skipBlanks();
        const bool isQuoted = begin < m_text.size() && m_text[begin] == '"';
        ASSIGN_OR_RETURN(const auto text, value(runColumns()[column].isNumber));
        const bool isOpposite = sign == Operator::Unequal || sign == Operator::HasNot;
        const Operator plain = sign == Operator::Unequal ? Operator::Equal
            : sign == Operator::HasNot                   ? Operator::Has
                                                         : sign;
        ASSIGN_OR_RETURN(auto holds, test({column, word, plain, text, isQuoted, begin}));
        return isOpposite ? opposite(std::move(holds)) : std::move(holds);
    }

    struct Test {
        std::size_t column;
        std::string_view word;
        Operator sign;
        std::string text;
        bool isQuoted;
        std::size_t begin; // position of the text in the expression
    };
    Result<Holds> test(const Test& asked) {
        const RunColumn& column = runColumns()[asked.column];
        const bool asksMissing = !asked.isQuoted && equalsIgnoringCase(asked.text, "missing");
        if (asksMissing && asked.sign == Operator::Equal)
            return Holds([&column](const RunRecord& run) { return isMissing(column.value(run)); });
        if (!column.isNumber)
            return compareText(asked.column, asked.sign, asked.text);
        if (asked.sign == Operator::Has)
            return wrongAt(asked.begin,
                fmt::format("“{}” is a number: compare it with =, !=, <, <=, > or >=", asked.word));
        const auto number = numberInUnit(asked.text, column.unit);
        if (!number)
            return wrongAt(asked.begin,
                fmt::format("“{}” is compared with a number{}, and “{}” is none", asked.word,
                    unitText(column), asked.text));
        return compareNumber(asked.column, asked.sign, *number);
    }

    static std::string unitText(const RunColumn& column) {
        if (column.unit == "%")
            return " (0.05 or 5 %)";
        return column.unit.empty() || column.unit == "1" ? "" : " in " + column.unit;
    }

    // A value; of a number also the unit behind a blank.
    Result<std::string> value(bool isNumber) {
        if (take("\""))
            return quoted();
        const std::string_view bare = takeBare();
        if (bare.empty())
            return wrong("a value is expected");
        std::string text(bare);
        const std::size_t behind = m_at;
        skipBlanks();
        const std::string_view word = peekBare();
        const bool isUnit = isNumber && !word.empty() && !isDigit(word.front()) && word != "&&"
            && word != "||" && !equalsIgnoringCase(word, "and") && !equalsIgnoringCase(word, "or");
        m_at = isUnit ? m_at + word.size() : behind;
        return isUnit ? text + " " + std::string(word) : text;
    }

    Result<std::string> quoted() {
        const std::size_t begin = m_at;
        const std::size_t end = m_text.find('"', begin);
        if (end == std::string_view::npos)
            return wrongAt(begin - 1, "this quote is not closed");
        m_at = end + 1;
        return std::string(m_text.substr(begin, end - begin));
    }

    [[nodiscard]] std::string_view peekBare() const {
        std::size_t end = m_at;
        while (end < m_text.size() && !isBlank(m_text[end])
            && std::string_view("()\"<>=~").find(m_text[end]) == std::string_view::npos)
            ++end;
        return m_text.substr(m_at, end - m_at);
    }
    std::string_view takeBare() {
        skipBlanks();
        const std::string_view bare = peekBare();
        m_at += bare.size();
        return bare;
    }

    std::optional<Operator> takeOperator() {
        for (const auto& [sign, meaning] : kOperators) {
            if (take(sign))
                return meaning;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::string_view peekWord() const {
        std::size_t end = m_at;
        while (end < m_text.size() && isWordChar(m_text[end]))
            ++end;
        return m_text.substr(m_at, end - m_at);
    }
    bool takeWord(std::string_view word) {
        skipBlanks();
        if (!equalsIgnoringCase(peekWord(), word))
            return false;
        m_at += word.size();
        return true;
    }
    bool startsWith(std::string_view sign) {
        skipBlanks();
        return m_text.substr(m_at).starts_with(sign);
    }
    bool take(std::string_view sign) {
        if (!startsWith(sign))
            return false;
        m_at += sign.size();
        return true;
    }
    std::size_t skipBlanks() {
        while (m_at < m_text.size() && isBlank(m_text[m_at]))
            ++m_at;
        return m_at;
    }
    bool isAtEnd() { return skipBlanks() == m_text.size(); }

    Error unknownColumn(std::string_view word, std::size_t begin) const {
        const std::string near = nearestWord(word);
        return wrongAt(begin,
            near.empty() ? fmt::format("there is no column “{0}”; to look for runs of that name "
                                       "write name ~ {0}",
                word)
                         : fmt::format("there is no column “{}”; “{}” may be meant", word, near));
    }
    // Counted as people count.
    [[nodiscard]] std::size_t place(std::size_t at) const {
        return text::displayWidth(m_text.substr(0, at)) + 1;
    }
    [[nodiscard]] Error wrongAt(std::size_t at, const std::string& what) const {
        return {ErrorCode::Usage, fmt::format("At character {}: {}.", place(at), what), {}};
    }
    Error wrong(const std::string& what) { return wrongAt(skipBlanks(), what); }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_asksMeasured = false;
};

// Factor of an SI prefix; absent for other texts.
std::optional<double> prefixFactor(std::string_view prefix) {
    constexpr std::array<std::pair<std::string_view, double>, 10> factors{
        {{"", 1.0}, {"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6},
            {"G", 1e9}, {"T", 1e12}, {"P", 1e15}}};
    const auto found = std::ranges::find_if(
        factors, [prefix](const auto& factor) { return factor.first == prefix; });
    return found == factors.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> factorOf(std::string_view given, std::string_view unit) {
    if (given.empty())
        return 1.0;
    if (unit == "%")
        return given == "%" ? std::optional(0.01) : std::nullopt;
    if (unit == "s" && (given == "min" || given == "h"))
        return given == "min" ? 60.0 : 3600.0;
    if (unit == "°C" && given == "C")
        return 1.0;
    const bool isPlain = unit == "1" || unit.starts_with("1/");
    if (!isPlain && given.ends_with(unit))
        return prefixFactor(given.substr(0, given.size() - unit.size()));
    return isPlain ? prefixFactor(given) : std::nullopt;
}

} // namespace

std::optional<double> numberInUnit(std::string_view text, std::string_view unit) {
    text = trimmed(text);
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number))
        return std::nullopt;
    const auto factor
        = factorOf(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))), unit);
    return factor ? std::optional(number * *factor) : std::nullopt;
}

Result<RunExpression> parseRunExpression(std::string_view text) {
    return Parser(text).parse();
}

} // namespace trainscope::report
