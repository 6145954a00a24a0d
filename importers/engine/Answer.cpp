#include "importers/engine/Answer.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/common/AnsweredSeries.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/Number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace trainscope::importers::engine {

namespace {

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
