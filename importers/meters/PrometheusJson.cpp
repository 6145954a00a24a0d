#include "importers/common/AnsweredSeries.h"
#include "importers/meters/ExposedSeries.h"

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

class PrometheusReader final : public MeterReader {
public:
    Status take(std::string_view object, MeterLog& log) override {
        m_log = &log;
        m_name.clear();
        m_labels.clear();
        m_series.reset();
        JsonCursor json(object);
        readAnsweredSeries(json, *this);
        return std::exchange(m_status, Status{});
    }

    void label(const std::string& name, const std::string& value) {
        constexpr std::size_t kMostLabels = 200;
        if (name == "__name__")
            m_name = value;
        else if (m_labels.size() < kMostLabels)
            m_labels.emplace_back(name, value);
    }
    bool sample(std::string_view time, std::string_view text) {
        if (!m_series)
            open();
        const auto stamp = parseStamp(time);
        const auto number = exposedNumber(text, m_series->isDcgm);
        if (!number || !stamp)
            m_log->skip("\"" + meterExcerpt(text) + "\" is no sample.");
        else if (m_series->channel && m_status.hasValue())
            give(*stamp, *number);
        return m_status.hasValue();
    }

private:
    void open() {
        std::vector<MetricLabel> labels;
        for (const auto& [label, text] : m_labels)
            labels.push_back({label, text});
        // Functions of the query take the name away.
        m_series = exposedSeries(m_name.empty() ? "query_result" : m_name, labels, {}, *m_log);
        m_status = m_log->restart();
        if (m_series->channel)
            m_coverage[*m_series->channel].close();
    }

    void give(const Stamp& stamp, double value) {
        const TimeNs time = m_log->at(stamp);
        m_log->row();
        if (!m_coverage[*m_series->channel].add(time))
            return m_log->duplicate();
        m_status = m_log->add(*m_series->channel, time, value, false);
    }

    MeterLog* m_log = nullptr;
    Status m_status;
    std::string m_name;
    std::vector<std::pair<std::string, std::string>> m_labels;
    std::optional<ExposedSeries> m_series;
    std::unordered_map<std::size_t, Coverage> m_coverage;
};

} // namespace

const MakeMeterReader makePrometheusReader = makeReader<PrometheusReader>;

} // namespace trainscope::importers::meters
