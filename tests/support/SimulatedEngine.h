#pragma once
// A monitoring engine that holds known samples and answers the few questions that Trainscope asks,
// with the limits and habits of real ones. No network: whoever has one puts it in front.

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

class SimulatedEngine {
public:
    using Labels = std::map<std::string, std::string>; // with __name__
    struct Answer {
        int status = 200;
        std::string body;
    };
    using Parameters = std::vector<std::pair<std::string, std::string>>;

    // Milliseconds and values as texts ("NaN").
    void add(const Labels& labels, std::vector<std::pair<std::int64_t, std::string>> samples);
    // One sample every `period` ms: value(i).
    void add(const Labels& labels, std::int64_t beginMs, std::int64_t periodMs, int count,
        const std::function<double(int)>& value);
    void clear() { m_held.clear(); }
    Answer ask(const std::string& path, const Parameters& parameters);

    std::int64_t mostSamples = 50'000'000; // per query, else 422
    std::int64_t mostPoints = 11'000; // per series of query_range, else 400
    bool isClosedOnTheLeft = true; // as Prometheus before 3
    std::vector<std::string> asked() const; // paths with their query, in order

private:
    struct Held {
        Labels labels;
        std::vector<std::pair<std::int64_t, std::string>> samples;
    };
    [[nodiscard]] std::vector<const Held*> chosen(const QString& selector) const;
    Answer range(const std::string& query, std::int64_t end);
    Answer steps(const std::string& query, std::int64_t start, std::int64_t end, std::int64_t step);

    std::vector<Held> m_held;
    mutable std::mutex m_mutex;
    std::vector<std::string> m_asked;
};

namespace simulated {

inline std::string valueOf(const SimulatedEngine::Parameters& parameters, const std::string& name) {
    for (const auto& [key, value] : parameters) {
        if (key == name)
            return value;
    }
    return {};
}

inline std::int64_t milliseconds(const std::string& seconds) {
    return std::llround(QString::fromStdString(seconds).toDouble() * 1000.0);
}

inline std::int64_t durationOf(const QString& text) {
    static const QRegularExpression part(QStringLiteral("(\\d+)(ms|s|m|h|d)"));
    std::int64_t sum = 0;
    for (auto at = part.globalMatch(text); at.hasNext();) {
        const auto match = at.next();
        const QString unit = match.captured(2);
        const std::int64_t factor = unit == QLatin1String("ms") ? 1
            : unit == QLatin1String("s")                        ? 1000
            : unit == QLatin1String("m")                        ? 60'000
            : unit == QLatin1String("h")                        ? 3'600'000
                                                                : 86'400'000;
        sum += match.captured(1).toLongLong() * factor;
    }
    return sum;
}

inline QJsonObject labelsJson(const SimulatedEngine::Labels& labels) {
    QJsonObject object;
    for (const auto& [name, value] : labels)
        object.insert(QString::fromStdString(name), QString::fromStdString(value));
    return object;
}

inline std::string answered(const QJsonValue& data) {
    return QJsonDocument(QJsonObject{{QStringLiteral("status"), QStringLiteral("success")},
                             {QStringLiteral("data"), data}})
        .toJson(QJsonDocument::Compact)
        .toStdString();
}

inline SimulatedEngine::Answer refused(int status, const char* type, const char* text) {
    return {status,
        std::string(R"({"status":"error","errorType":")") + type + R"(","error":")" + text + "\"}"};
}

inline QJsonArray sampleJson(std::int64_t time, const std::string& value) {
    return {static_cast<double>(time) / 1000.0, QString::fromStdString(value)};
}

inline QJsonObject matrix(const QJsonArray& result) {
    return {{QStringLiteral("resultType"), QStringLiteral("matrix")},
        {QStringLiteral("result"), result}};
}

} // namespace simulated

inline void SimulatedEngine::add(
    const Labels& labels, std::vector<std::pair<std::int64_t, std::string>> samples) {
    m_held.push_back({labels, std::move(samples)});
}

inline void SimulatedEngine::add(const Labels& labels, std::int64_t beginMs, std::int64_t periodMs,
    int count, const std::function<double(int)>& value) {
    std::vector<std::pair<std::int64_t, std::string>> samples;
    for (int i = 0; i < count; ++i)
        samples.emplace_back(
            beginMs + periodMs * i, QString::number(value(i), 'g', 17).toStdString());
    add(labels, std::move(samples));
}

inline std::vector<std::string> SimulatedEngine::asked() const {
    const std::lock_guard lock(m_mutex);
    return m_asked;
}

inline std::vector<const SimulatedEngine::Held*> SimulatedEngine::chosen(
    const QString& selector) const {
    static const QRegularExpression condition(
        QStringLiteral("(\\w+)(=~|!=|=)\"((?:[^\"\\\\]|\\\\.)*)\""));
    std::vector<const Held*> found;
    for (const Held& held : m_held) {
        bool fits = true;
        for (auto at = condition.globalMatch(selector); at.hasNext() && fits;) {
            const auto match = at.next();
            const auto label = held.labels.find(match.captured(1).toStdString());
            const QString value
                = label == held.labels.end() ? QString() : QString::fromStdString(label->second);
            const QString wanted
                = match.captured(3).replace(QLatin1String("\\\\"), QLatin1String("\\"));
            if (match.captured(2) == QLatin1String("=~"))
                fits = QRegularExpression(QRegularExpression::anchoredPattern(wanted))
                           .match(value)
                           .hasMatch();
            else
                fits = (value == wanted) == (match.captured(2) == QLatin1String("="));
        }
        if (fits)
            found.push_back(&held);
    }
    return found;
}

inline SimulatedEngine::Answer SimulatedEngine::ask(
    const std::string& path, const Parameters& parameters) {
    const std::string query = simulated::valueOf(parameters, "query");
    {
        const std::lock_guard lock(m_mutex);
        m_asked.push_back(path + " " + query + simulated::valueOf(parameters, "match[]"));
    }
    if (path == "api/v1/label/__name__/values" || path == "api/v1/series") {
        QStringList names;
        QJsonArray sets;
        for (const Held* held :
            chosen(QString::fromStdString(simulated::valueOf(parameters, "match[]")))) {
            const QString name = QString::fromStdString(held->labels.at("__name__"));
            if (!names.contains(name))
                names.append(name);
            if (path == "api/v1/series")
                sets.append(simulated::labelsJson(held->labels));
        }
        return {200,
            simulated::answered(
                path == "api/v1/series" ? sets : QJsonArray::fromStringList(names))};
    }
    if (path == "api/v1/query")
        return range(query, simulated::milliseconds(simulated::valueOf(parameters, "time")));
    if (path == "api/v1/query_range")
        return steps(query, simulated::milliseconds(simulated::valueOf(parameters, "start")),
            simulated::milliseconds(simulated::valueOf(parameters, "end")),
            simulated::milliseconds(simulated::valueOf(parameters, "step")));
    return {404, "404 page not found"};
}

inline SimulatedEngine::Answer SimulatedEngine::range(const std::string& query, std::int64_t end) {
    const QString text = QString::fromStdString(query);
    const auto bracket = text.lastIndexOf(QLatin1Char('['));
    const std::int64_t begin
        = end - simulated::durationOf(text.mid(bracket)) + (isClosedOnTheLeft ? 0 : 1);
    QJsonArray result;
    std::int64_t count = 0;
    for (const Held* held : chosen(text.left(bracket))) {
        QJsonArray values;
        for (const auto& [time, value] : held->samples) {
            if (begin <= time && time <= end)
                values.append(simulated::sampleJson(time, value));
        }
        count += values.size();
        if (!values.isEmpty())
            result.append(
                QJsonObject{{QStringLiteral("metric"), simulated::labelsJson(held->labels)},
                    {QStringLiteral("values"), values}});
    }
    if (count > mostSamples)
        return simulated::refused(422, "execution",
            "query processing would load too many samples into memory in query execution");
    return {200, simulated::answered(simulated::matrix(result))};
}

// last_over_time alone.
inline SimulatedEngine::Answer SimulatedEngine::steps(
    const std::string& query, std::int64_t start, std::int64_t end, std::int64_t step) {
    if ((end - start) / step + 1 > mostPoints)
        return simulated::refused(400, "bad_data",
            "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
            "resolution (?step=XX)");
    const QString text = QString::fromStdString(query);
    const auto bracket = text.lastIndexOf(QLatin1Char('['));
    const std::int64_t length = simulated::durationOf(text.mid(bracket));
    QJsonArray result;
    for (const Held* held : chosen(text.left(bracket))) {
        QJsonArray values;
        for (std::int64_t at = start; at <= end; at += step) {
            const std::string* last = nullptr;
            for (const auto& [time, value] : held->samples) {
                if (at - length < time && time <= at)
                    last = &value;
            }
            if (last != nullptr)
                values.append(simulated::sampleJson(at, *last));
        }
        if (!values.isEmpty())
            result.append(
                QJsonObject{{QStringLiteral("metric"), simulated::labelsJson(held->labels)},
                    {QStringLiteral("values"), values}});
    }
    return {200, simulated::answered(simulated::matrix(result))};
}

} // namespace trainscope::test
