// Samples of exporters: the text exposition format of Prometheus and OpenMetrics (one scrape, or
// several one after the other, with or without time stamps), and answers of query APIs as JSON
// (vector and matrix of Prometheus, the lines of VictoriaMetrics' export). The meaning of metrics
// and labels stands in importers/common/ExporterMetrics.h.
//
// Clock: unix time, in seconds or milliseconds; a scrape without stamps has none, unless a comment
// between scrapes is one. The same GPU's metric that comes a second time for one moment, under
// other labels of jobs and pods, is a duplicate: the first is taken, the others are counted.
#include "core/model/Try.h"
#include "importers/common/AnsweredSeries.h"
#include "importers/common/Cells.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/common/Number.h"
#include "importers/meters/MeterReader.h"

#include <unordered_map>

namespace trainscope::importers::meters {

namespace {

// A series of an exporter as a channel of the table, for its text and for answers as JSON.
struct ExposedSeries {
    std::optional<std::size_t> channel; // absent: left out
    bool isDcgm = false;
    std::int64_t scrape = -1; // in which it came last, where scrapes have no stamps
};

bool isInfinite(std::string_view text) {
    return equalsIgnoringCase(text, "+inf") || equalsIgnoringCase(text, "-inf")
        || equalsIgnoringCase(text, "inf");
}

bool isDistribution(std::string_view name, std::span<const MetricLabel> labels) {
    return !labelOf(labels, "le").empty() || !labelOf(labels, "quantile").empty()
        || name.ends_with("_bucket");
}

// NaN for what is no value; absent for what is no number.
std::optional<double> exposedNumber(std::string_view text, bool isDcgm) {
    if (equalsIgnoringCase(text, "nan") || isInfinite(text))
        return kMissing;
    const auto number = parseNumber(text);
    return number && isDcgm && isDcgmBlank(*number) ? kMissing : number;
}

// The channel of a name with labels; the log says where it is left out. Histograms and summaries
// are no readings. `type` as the exposition says.
ExposedSeries exposedSeries(std::string_view name, std::span<const MetricLabel> labels,
    std::string_view type, MeterLog& log) {
    ExposedSeries out;
    out.isDcgm = name.starts_with("DCGM_");
    if (name.empty() || isDistribution(name, labels))
        return out;
    const ExporterSeries meant = exporterSeries(name, labels, type);
    if (!meant.isKnown)
        log.sawOwn(name);
    Who who;
    who.kind = meant.whom.kind;
    who.host = meant.whom.node;
    who.device = meant.whom.device;
    who.model = meant.whom.model;
    who.uuid = meant.whom.uuid;
    who.address = meant.whom.address;
    if (who.kind == SubjectKind::Gpu)
        who.id = meant.whom.gpu >= 0 ? std::to_string(meant.whom.gpu) : meant.whom.uuid;
    const auto subject = log.table().subject(who);
    if (subject.hasValue())
        out.channel = log.table().channel(subject.value(), meant.description);
    else
        log.skip(subject.error().message);
    if (!meant.whom.job.empty())
        log.report().facts["job"] = meant.whom.job;
    return out;
}

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

constexpr std::size_t kMostSeries = 65536; // known by their labels

bool isNameChar(char c, bool isFirst) {
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    return isLetter || (!isFirst && isDigit(c));
}

// A sample of the text: its parts are views into the line, but for values with escapes.
struct ExposedSample {
    std::string_view series; // name and labels as written
    std::string_view name;
    std::vector<std::pair<std::string_view, std::string>> labels;
    std::string_view value;
    std::string_view stamp;
};

bool readLabels(std::string_view& rest, ExposedSample& out) {
    rest.remove_prefix(1);
    while (true) {
        rest = trimmed(rest);
        if (rest.starts_with('}')) {
            rest.remove_prefix(1);
            return true;
        }
        const std::size_t equals = rest.find('=');
        if (equals == std::string_view::npos)
            return false;
        const std::string_view name = trimmed(rest.substr(0, equals));
        rest = trimmed(rest.substr(equals + 1));
        if (!rest.starts_with('"'))
            return false;
        std::string value;
        std::size_t at = 1;
        for (; at < rest.size() && rest[at] != '"'; ++at) {
            if (rest[at] == '\\' && at + 1 < rest.size())
                ++at;
            value += rest[at];
        }
        if (at >= rest.size())
            return false;
        out.labels.emplace_back(name, std::move(value));
        rest = trimmed(rest.substr(at + 1));
        if (rest.starts_with(','))
            rest.remove_prefix(1);
    }
}

bool readSample(std::string_view line, ExposedSample& out) {
    std::size_t end = 0;
    while (end < line.size() && isNameChar(line[end], end == 0))
        ++end;
    if (end == 0 || end == line.size())
        return false;
    out.labels.clear();
    out.name = line.substr(0, end);
    std::string_view rest = line.substr(end);
    if (trimmed(rest).starts_with('{')) {
        rest = trimmed(rest);
        if (!readLabels(rest, out))
            return false;
    } else if (rest.front() != ' ' && rest.front() != '\t') {
        return false;
    }
    out.series = line.substr(0, static_cast<std::size_t>(rest.data() - line.data()));
    rest = rest.substr(0, rest.find(" # ")); // an exemplar of OpenMetrics
    const auto parts = words(rest, " \t");
    if (parts.empty() || parts.size() > 2)
        return false;
    out.value = parts[0];
    out.stamp = parts.size() == 2 ? parts[1] : std::string_view();
    return true;
}

class ExpositionReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        line = trimmed(line);
        if (line.empty())
            return {};
        if (line.starts_with('#')) {
            takeComment(line);
            return {};
        }
        if (!readSample(line, m_sample)) {
            log.skip("The line is no sample: " + meterExcerpt(line));
            return {};
        }
        return takeSample(log);
    }

private:
    void takeComment(std::string_view line) {
        const auto parts = words(line, " \t");
        if (parts.size() >= 4 && parts[1] == "TYPE") {
            if (m_types.size() < kMostSeries)
                m_types[std::string(parts[2])] = parts[3];
            return;
        }
        if (parts.size() > 1 && (parts[1] == "HELP" || parts[1] == "TYPE" || parts[1] == "UNIT"))
            return;
        if (parts.size() > 1 && parts[1] == "EOF")
            return nextScrape();
        // "# scraped at 2025-03-25T09:12:42Z", "# 1712345678.5"
        for (std::size_t i = 1; i < parts.size(); ++i) {
            std::string text(parts[i]);
            auto stamp = parseStamp(text);
            if (!stamp && i + 1 < parts.size())
                stamp = parseStamp(text.append(" ").append(parts[i + 1]));
            if (stamp && stamp->kind != StampKind::Relative) {
                nextScrape();
                m_stamp = stamp;
                return;
            }
        }
    }

    void nextScrape() {
        m_scrape += std::exchange(m_hasSamples, false) ? 1 : 0;
        m_stamp.reset();
    }

    Status takeSample(MeterLog& log) {
        auto known = m_series.find(m_sample.series);
        if (known == m_series.end()) {
            if (m_series.size() >= kMostSeries) {
                log.skip("More than 65536 series; this one is left out.");
                return {};
            }
            std::vector<MetricLabel> labels;
            for (const auto& [name, value] : m_sample.labels)
                labels.push_back({name, value});
            const auto type = m_types.find(m_sample.name);
            const std::string_view typeText
                = type == m_types.end() ? std::string_view() : std::string_view(type->second);
            known = m_series
                        .emplace(std::string(m_sample.series),
                            exposedSeries(m_sample.name, labels, typeText, log))
                        .first;
        }
        ExposedSeries& series = known->second;
        if (!series.channel)
            return {};
        RETURN_IF_ERROR(follow(series, log));
        const auto value = exposedNumber(m_sample.value, series.isDcgm);
        if (!value) {
            log.skip("\"" + meterExcerpt(m_sample.value) + "\" is no number.");
            return {};
        }
        const auto time = timeOf(log, series);
        if (!time)
            return {};
        log.row();
        return log.add(*series.channel, *time, *value, true);
    }

    // Dumps give one series behind the other.
    Status follow(const ExposedSeries& series, MeterLog& log) {
        const bool isSame = std::exchange(m_before, &series) == &series;
        const bool isNext = std::exchange(m_isRunning, isSame) && !isSame;
        return isNext ? log.restart() : Status();
    }

    std::optional<TimeNs> timeOf(MeterLog& log, ExposedSeries& series) {
        if (!m_sample.stamp.empty()) {
            const auto stamp = parseStamp(m_sample.stamp);
            if (!stamp)
                log.skip("The sample has no time: " + meterExcerpt(m_sample.stamp));
            return stamp ? std::optional(log.at(*stamp)) : std::nullopt;
        }
        // A series that comes again begins the next scrape.
        if (series.scrape == m_scrape)
            nextScrape();
        series.scrape = m_scrape;
        m_hasSamples = true;
        return m_stamp ? log.at(*m_stamp) : log.at(m_scrape);
    }

    ExposedSample m_sample;
    std::map<std::string, std::string, std::less<>> m_types;
    std::unordered_map<std::string, ExposedSeries, TextHash, std::equal_to<>> m_series;
    const ExposedSeries* m_before = nullptr; // the sample before was in it
    bool m_isRunning = false; // it had several samples in turn
    std::optional<Stamp> m_stamp; // this scrape's
    std::int64_t m_scrape = 0;
    bool m_hasSamples = false; // in this scrape
};

} // namespace

const MakeMeterReader makePrometheusReader = makeReader<PrometheusReader>;

bool isExpositionLine(std::string_view line) {
    ExposedSample sample;
    return readSample(trimmed(line), sample) && exposedNumber(sample.value, false).has_value();
}

const MakeMeterReader makeExpositionReader = makeReader<ExpositionReader>;

} // namespace trainscope::importers::meters
