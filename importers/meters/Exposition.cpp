// Samples of exporters: the text exposition format of Prometheus and OpenMetrics (one scrape, or
// several one after the other, with or without time stamps), and answers of query APIs as JSON
// (vector and matrix of Prometheus, the lines of VictoriaMetrics' export). The meaning of metrics
// and labels stands in importers/common/ExporterMetrics.h.
//
// Clock: unix time, in seconds or milliseconds; a scrape without stamps has none, unless a comment
// between scrapes is one. The same GPU's metric that comes a second time for one moment, under
// other labels of jobs and pods, is a duplicate: the first is taken, the others are counted.
#include "importers/meters/Readers.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/meters/ExposedSeries.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace trainscope::importers::meters {

namespace {

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

bool isExpositionLine(std::string_view line) {
    ExposedSample sample;
    return readSample(trimmed(line), sample) && exposedNumber(sample.value, false).has_value();
}

const MakeMeterReader makeExpositionReader = makeReader<ExpositionReader>;

} // namespace trainscope::importers::meters
