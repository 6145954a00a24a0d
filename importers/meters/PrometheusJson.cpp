#include "importers/common/Cells.h"
#include "importers/meters/ExposedSeries.h"
#include "importers/meters/Exposition.h"
#include "importers/meters/JsonEvents.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace trainscope::importers::meters {

namespace {

// Times of a channel, as few ranges: another series of the same GPU fills their holes only.
class Coverage {
public:
    // False where the moment was there before.
    bool add(TimeNs time) {
        for (const TimeRange& range : m_closed) {
            if (range.begin <= time && time <= range.end)
                return false;
        }
        if (m_isOpen && time > m_open.end && isNear(time)) {
            m_step = {std::max((time - m_open.end).ns, m_step.ns)};
            m_open.end = time;
            return true;
        }
        if (m_isOpen && m_open.begin <= time && time <= m_open.end)
            return false;
        close();
        m_open = {time, time};
        m_isOpen = true;
        return true;
    }
    void close() {
        if (m_isOpen)
            m_closed.push_back(m_open);
        m_isOpen = false;
        m_step = {};
    }

private:
    static constexpr std::int64_t kFarSteps = 5;
    [[nodiscard]] bool isNear(TimeNs time) const {
        return m_step.ns == 0 || (time - m_open.end).ns <= kFarSteps * m_step.ns;
    }

    std::vector<TimeRange> m_closed;
    TimeRange m_open{{0}, {0}};
    DurationNs m_step;
    bool m_isOpen = false;
};

class PrometheusReader final : public MeterReader, private JsonEvents::Visitor {
public:
    Status take(std::string_view text, MeterLog& log) override {
        m_log = &log;
        m_json.take(text, *this);
        return std::exchange(m_status, Status{});
    }
    Status finish(MeterLog& log) override {
        m_log = &log;
        m_json.finish(*this);
        return std::exchange(m_status, Status{});
    }

private:
    // The element of "result", or the line of an export, that holds "metric".
    void enter(const JsonEvents& where) override {
        const std::size_t depth = where.depth();
        if (depth < 2 || where.step(depth - 1).isArray || where.step(depth - 2).key != "metric"
            || where.step(depth - 2).isArray)
            return;
        m_labels.clear();
        m_values.clear();
        m_stamps.clear();
        m_series.reset();
    }

    void leave(const JsonEvents& where) override {
        const std::size_t depth = where.depth();
        if (depth >= 2 && where.step(depth - 2).key == "metric" && !where.step(depth - 2).isArray)
            return openSeries();
        if (depth >= 2 && where.step(depth - 1).isArray
            && where.step(depth - 2).key == "timestamps")
            giveExported();
    }

    void value(const JsonEvents& where, std::string_view text, bool) override {
        const std::size_t depth = where.depth();
        if (depth >= 2 && where.step(depth - 2).key == "metric" && !where.step(depth - 2).isArray
            && !where.step(depth - 1).isArray) {
            if (m_labels.size() < kMostLabels)
                m_labels.emplace_back(where.key(), text);
            return;
        }
        if (depth < 2 || !where.step(depth - 1).isArray)
            return;
        const std::string& parent = where.step(depth - 2).key;
        if (parent == "value" && !where.step(depth - 2).isArray)
            return takePart(where.step(depth - 1).index, text);
        if (depth >= 3 && where.step(depth - 2).isArray && where.step(depth - 3).key == "values")
            return takePart(where.step(depth - 1).index, text);
        if (parent == "values" && m_values.size() < kMostExported)
            m_values.push_back(exposedNumber(text, true).value_or(kMissing));
        else if (parent == "timestamps" && m_stamps.size() < kMostExported)
            m_stamps.emplace_back(text);
    }

    void openSeries() {
        std::vector<MetricLabel> labels;
        std::string_view name;
        for (const auto& [label, text] : m_labels) {
            if (label == "__name__")
                name = text;
            else
                labels.push_back({label, text});
        }
        // Functions of the query take the name away.
        m_series = exposedSeries(name.empty() ? "query_result" : name, labels, {}, *m_log);
        if (m_status.hasValue())
            m_status = m_log->restart();
        if (m_series->channel)
            m_coverage[*m_series->channel].close();
    }

    void takePart(std::size_t index, std::string_view text) {
        if (index == 0) {
            m_time = parseStamp(text);
        } else if (index == 1) {
            const auto number = exposedNumber(text, m_series && m_series->isDcgm);
            if (!number || !m_time)
                return m_log->skip("\"" + meterExcerpt(text) + "\" is no sample.");
            give(*m_time, *number);
        }
    }

    void giveExported() {
        for (std::size_t i = 0; i < std::min(m_values.size(), m_stamps.size()); ++i) {
            if (const auto stamp = parseStamp(m_stamps[i]))
                give(*stamp, m_values[i]);
        }
    }

    void give(const Stamp& stamp, double value) {
        if (!m_series || !m_series->channel || !m_status.hasValue())
            return;
        const TimeNs time = m_log->at(stamp);
        m_log->row();
        if (!m_coverage[*m_series->channel].add(time))
            return m_log->duplicate();
        m_status = m_log->add(*m_series->channel, time, value, false);
    }

    static constexpr std::size_t kMostLabels = 200;
    static constexpr std::size_t kMostExported = std::size_t{1} << 20; // of one line

    JsonEvents m_json;
    MeterLog* m_log = nullptr;
    Status m_status;
    std::vector<std::pair<std::string, std::string>> m_labels;
    std::optional<ExposedSeries> m_series;
    std::optional<Stamp> m_time;
    std::vector<double> m_values; // of an export, until their stamps come
    std::vector<std::string> m_stamps;
    std::unordered_map<std::size_t, Coverage> m_coverage;
};

} // namespace

std::unique_ptr<MeterReader> makePrometheusReader() {
    return std::make_unique<PrometheusReader>();
}

} // namespace trainscope::importers::meters
