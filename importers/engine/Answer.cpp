#include "importers/engine/Answer.h"

#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/common/AnsweredSeries.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"

#include <charconv>
#include <cmath>

namespace trainscope::importers::engine {

namespace {

bool isNameCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '_' || c == ':';
}

// Quotes in pairs, no brace outside of them.
bool areConditions(std::string_view text) {
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            if (c == '\\' && quote != '`')
                ++i;
            else if (c == quote)
                quote = '\0';
        } else if (c == '"' || c == '\'' || c == '`') {
            quote = c;
        } else if (!isNameCharacter(c)
            && std::string_view(" \t\n,=~!").find(c) == std::string_view::npos) {
            return false;
        }
    }
    return quote == '\0';
}

std::string escapedPattern(std::string_view value) {
    std::string pattern;
    for (const char c : value) {
        if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos)
            pattern.push_back('\\');
        pattern.push_back(c);
    }
    return pattern;
}

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostWarnings = 8;

std::string beginningOf(std::string_view body) {
    constexpr std::size_t longest = 60;
    std::string text;
    for (const char c : trimmed(body).substr(0, longest))
        text.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    return text;
}

Error notAnAnswer(std::string_view body) {
    if (trimmed(body).empty())
        return {ErrorCode::Unreadable, "The answer is empty.", {}};
    if (!trimmed(body).starts_with('{'))
        return {ErrorCode::Unreadable,
            "This is no answer of a Prometheus-compatible engine (it begins with \""
                + beginningOf(body) + "\"); is something else at this address, or in front of it?",
            {}};
    return {ErrorCode::Unreadable, "The answer breaks off or is damaged.", {}};
}

double valueOf(std::string_view text) {
    double value = 0.0;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber
        = problem == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
    return isNumber ? value : kMissing;
}

// One object of "result".
struct SeriesTaker {
    AnsweredSeries series = {};
    AnswerFacts& facts;
    void label(const std::string& name, std::string& value) { series.labels.set(name, value); }
    bool sample(std::string_view time, std::string_view value) {
        const auto ns = decimalToNs(time, text::kSecond);
        if (!ns)
            return false;
        if (!series.times.empty() && *ns < series.times.back().ns)
            ++facts.unordered;
        series.times.push_back({*ns});
        series.values.push_back(valueOf(value));
        if (std::isnan(series.values.back()))
            ++facts.notNumbers;
        return true;
    }
};

bool readTextList(JsonCursor& cursor, std::vector<std::string>& texts) {
    if (!cursor.beginArray())
        return false;
    std::string text;
    while (cursor.nextElement()) {
        if (!cursor.string(text))
            return false;
        texts.push_back(text);
    }
    return cursor.isGood();
}

// Walks over the members of the answer; `data` reads the one of that name. False: not an answer.
template <typename Data>
bool walk(JsonCursor& cursor, AnswerFacts& facts, bool& isSuccess, Data&& data) {
    if (!cursor.beginObject())
        return false;
    std::string key;
    std::string status;
    bool hasData = false;
    while (cursor.nextMember(key)) {
        bool isRead = true;
        if (key == "status")
            isRead = cursor.string(status);
        else if (key == "warnings" && cursor.peek() == '[')
            isRead = readTextList(cursor, facts.warnings);
        else if (key == "data")
            isRead = hasData = data();
        else
            isRead = cursor.skip();
        if (!isRead)
            return false;
    }
    if (facts.warnings.size() > kMostWarnings)
        facts.warnings.resize(kMostWarnings);
    isSuccess = status == "success";
    return cursor.isGood() && cursor.atEnd() && (hasData || !isSuccess);
}

// The text of the engine where it complains, else that the body is none.
template <typename Data>
Result<AnswerFacts> read(std::string_view body, Data&& data) {
    const std::string padded = std::string(body) + std::string(JsonScanner::kPadding, '\0');
    JsonCursor cursor(std::string_view(padded).substr(0, body.size()));
    AnswerFacts facts;
    bool isSuccess = false;
    Status visited;
    const bool isAnswer
        = walk(cursor, facts, isSuccess, [&] { return data(cursor, facts, visited); });
    if (!visited.hasValue())
        return visited.error();
    if (!isAnswer)
        return notAnAnswer(body);
    if (!isSuccess) {
        const Complaint complaint = readComplaint(body);
        return Error{ErrorCode::Unreadable, "The engine could not answer: " + complaint.text, {}};
    }
    return facts;
}

bool readResult(JsonCursor& cursor, AnswerFacts& facts, Status& visited, const SeriesVisit& visit) {
    if (!cursor.beginObject())
        return false;
    std::string key;
    while (cursor.nextMember(key)) {
        if (key != "result" || cursor.peek() != '[') {
            if (!cursor.skip())
                return false;
            continue;
        }
        cursor.beginArray();
        while (cursor.nextElement()) {
            // A scalar is a result of two bare values; it has no series.
            if (cursor.peek() != '{') {
                if (!cursor.skip())
                    return false;
                continue;
            }
            SeriesTaker taker{{}, facts};
            if (!readAnsweredSeries(cursor, taker))
                return false;
            taker.series.labels.sort();
            visited = visit(taker.series);
            if (!visited.hasValue())
                return false;
        }
    }
    return cursor.isGood();
}

} // namespace

void Labels::set(std::string label, std::string value) {
    if (label == "__name__")
        name = std::move(value);
    else
        rest.emplace_back(std::move(label), std::move(value));
}

std::string_view Labels::find(std::string_view label) const {
    const auto at
        = std::ranges::find_if(rest, [label](const auto& one) { return one.first == label; });
    return at == rest.end() ? std::string_view() : std::string_view(at->second);
}

std::string Labels::text() const {
    std::string text = name + "{";
    for (const auto& [label, value] : rest)
        text += (text.back() == '{' ? "" : ",") + label + "=" + quotedText(value);
    return text + "}";
}

std::string Selector::text() const {
    return metric + "{" + conditions + "}";
}

std::string Selector::with(const std::vector<std::string>& names, const std::string& more) const {
    std::string text = conditions;
    const auto add = [&text](const std::string& condition) {
        if (!condition.empty())
            text += (text.empty() ? "" : ",") + condition;
    };
    if (!names.empty())
        add(oneOf("__name__", names));
    else if (!metric.empty())
        add(oneOf("__name__", {metric}));
    add(more);
    // Engines refuse a selection that anything fits.
    if (text.empty())
        text = "__name__!=\"\"";
    return "{" + text + "}";
}

Result<Selector> selectorFrom(std::string_view text) {
    const std::string_view whole = trimmed(text);
    Selector selector;
    std::string_view conditions = whole;
    const auto brace = whole.find('{');
    if (brace != std::string_view::npos && whole.ends_with('}')) {
        selector.metric = trimmed(whole.substr(0, brace));
        conditions = trimmed(whole.substr(brace + 1, whole.size() - brace - 2));
    } else if (isLabelName(whole)) {
        selector.metric = whole;
        conditions = {};
    }
    while (conditions.ends_with(',') || conditions.ends_with(' '))
        conditions.remove_suffix(1);
    selector.conditions = conditions;
    const bool isGood = areConditions(conditions)
        && (conditions.empty() || conditions.find('=') != std::string_view::npos
            || conditions.find('~') != std::string_view::npos)
        && (selector.metric.empty() || isLabelName(selector.metric));
    if (isGood)
        return selector;
    return usageError("\"" + std::string(whole)
        + "\" selects no series; give one or more labels such as {job=\"dcgm-exporter\"} or "
          "{Hostname=~\"node-[1-4]\"}.");
}

bool isLabelName(std::string_view text) {
    return !text.empty() && !isDigit(text.front()) && std::ranges::all_of(text, isNameCharacter);
}

std::string quotedText(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\')
            text.push_back('\\');
        if (c == '\n')
            text += "\\n";
        else
            text.push_back(c);
    }
    return text + "\"";
}

std::string oneOf(std::string_view label, const std::vector<std::string>& values) {
    if (values.size() == 1)
        return std::string(label) + "=" + quotedText(values.front());
    std::string pattern;
    for (const std::string& value : values)
        pattern += (pattern.empty() ? "" : "|") + escapedPattern(value);
    return std::string(label) + "=~" + quotedText(pattern);
}

Result<AnswerFacts> readSamples(std::string_view body, const SeriesVisit& visit) {
    return read(body, [&visit](JsonCursor& cursor, AnswerFacts& facts, Status& visited) {
        return readResult(cursor, facts, visited, visit);
    });
}

Status readLabelSets(std::string_view body, const std::function<Status(Labels&)>& visit) {
    const auto facts
        = read(body, [&visit](JsonCursor& cursor, AnswerFacts& answer, Status& visited) {
              if (!cursor.beginArray())
                  return false;
              while (cursor.nextElement()) {
                  SeriesTaker taker{{}, answer};
                  if (!readAnsweredLabels(cursor, taker))
                      return false;
                  taker.series.labels.sort();
                  visited = visit(taker.series.labels);
                  if (!visited.hasValue())
                      return false;
              }
              return cursor.isGood();
          });
    return facts.hasValue() ? Status() : Status(facts.error());
}

Result<std::vector<std::string>> readTexts(std::string_view body) {
    std::vector<std::string> texts;
    const auto facts = read(body, [&texts](JsonCursor& cursor, AnswerFacts&, Status&) {
        return readTextList(cursor, texts);
    });
    if (!facts.hasValue())
        return facts.error();
    return texts;
}

Complaint readComplaint(std::string_view body) {
    Complaint complaint;
    const std::string padded = std::string(body) + std::string(JsonScanner::kPadding, '\0');
    JsonCursor cursor(std::string_view(padded).substr(0, body.size()));
    std::string key;
    if (!trimmed(body).starts_with('{') || !cursor.beginObject())
        return {{}, beginningOf(body)};
    while (cursor.nextMember(key)) {
        const bool isRead = key == "errorType" ? cursor.string(complaint.type)
            : key == "error"                   ? cursor.string(complaint.text)
                                               : cursor.skip();
        if (!isRead)
            break;
    }
    if (complaint.text.empty())
        complaint.text = beginningOf(body);
    return complaint;
}

} // namespace trainscope::importers::engine
