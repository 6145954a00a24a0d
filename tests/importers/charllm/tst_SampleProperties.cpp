// Random files, cut into random blocks and read by any number of threads, say what a reading line
// by line says.

#include "core/parallel/OrderedJobs.h"
#include "importers/charllm/FileImport.h"
#include "importers/charllm/RunPlan.h"
#include "importers/common/TextCleaning.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::importers::charllm;

namespace {

using Random = std::mt19937_64;

struct Reading {
    std::vector<std::int64_t> times;
    std::vector<std::uint64_t> values; // their bits; all missing ones alike
    std::int64_t skipped = 0;
    std::vector<std::pair<std::int64_t, std::string>> warnings;

    bool operator==(const Reading&) const = default;
    void add(std::int64_t time, double value) {
        times.push_back(time);
        values.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
    }
};

std::string digits(Random& random, std::size_t count) {
    std::string text;
    while (text.size() < count)
        text += static_cast<char>('0' + random() % 10);
    return text;
}

std::string number(Random& random) {
    switch (random() % 8) {
    case 0:
        return "-1";
    case 1:
        return digits(random, 1 + random() % 22);
    case 2:
        return std::to_string(random() % 1000) + "e-" + std::to_string(random() % 30);
    case 3:
        return "-" + digits(random, 1 + random() % 3);
    case 4:
        return "." + digits(random, random() % 4);
    default:
        return digits(random, 1 + random() % 10) + "." + digits(random, random() % 18);
    }
}

std::string time(Random& random, std::int64_t i) {
    const std::string seconds = std::to_string(1'755'000'000 + i / 10);
    switch (random() % 12) {
    case 0:
        return seconds;
    case 1:
        return digits(random, 1 + random() % 24) + "." + digits(random, random() % 12);
    default:
        return seconds + "." + std::to_string(i % 10) + digits(random, random() % 9);
    }
}

std::string line(Random& random, std::int64_t i) {
    constexpr std::array<const char*, 12> kOdd{"", "timestamp,value", "garbage", "1;2;3",
        "1755000000;12,5", "1755000000,nan", "\"1755000000.5\",\"7\"", " 1755000001 , 8 ",
        "1755000000,", "\x1b[32m1755000003,4\x1b[0m", "1755000000\t5", "-5,6"};
    if (random() % 6 == 0)
        return kOdd[random() % kOdd.size()];
    return time(random, i) + "," + number(random) + (random() % 5 == 0 ? "\r" : "");
}

std::vector<std::string> randomLines(Random& random) {
    std::vector<std::string> lines;
    const std::int64_t count = static_cast<std::int64_t>(random() % 300);
    for (std::int64_t i = 0; i < count; ++i)
        lines.push_back(line(random, i));
    return lines;
}

std::string excerptOf(const std::string& line) {
    std::string text = line.substr(0, 40);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return line.size() > 40 ? text + "..." : text;
}

Reading lineByLine(const std::vector<std::string>& lines) {
    Reading reading;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const TelemetryLine parsed = parseTelemetryLine(withoutEscapes(lines[i]));
        if (parsed.kind == LineKind::Sample)
            reading.add(parsed.ns, parsed.value);
        if (parsed.kind == LineKind::Missing)
            reading.add(parsed.ns, std::numeric_limits<double>::quiet_NaN());
        if (parsed.kind == LineKind::Bad || (parsed.kind == LineKind::Header && i > 0)) {
            if (++reading.skipped <= 5)
                reading.warnings.emplace_back(i + 1,
                    std::string("Skipped: ") + parsed.problem + " (\"" + excerptOf(lines[i])
                        + "\").");
        }
    }
    if (reading.skipped > 5)
        reading.warnings.emplace_back(
            0, std::to_string(reading.skipped - 5) + " more lines of this file were skipped.");
    return reading;
}

std::shared_ptr<LineBlock> blockOf(const std::string& text) {
    auto block = std::make_shared<LineBlock>();
    block->bytes = std::make_unique<char[]>(text.size() + LineBlocks::kPadding);
    std::memcpy(block->bytes.get(), text.data(), text.size());
    block->size = text.size();
    return block;
}

std::vector<std::string> randomBlocks(Random& random, const std::vector<std::string>& lines) {
    std::vector<std::string> blocks;
    for (const std::string& one : lines) {
        if (blocks.empty() || random() % 7 == 0)
            blocks.emplace_back();
        blocks.back() += one + "\n";
    }
    return blocks;
}

Reading inBlocks(const std::vector<std::string>& blocks, WorkerPool& pool, SampleStatistics& all) {
    Reading reading;
    ImportReport report;
    FileTally tally("f", report);
    OrderedJobs<SampleBlock> jobs(pool, 0, [&](SampleBlock&& block) {
        tally.add(block);
        for (std::size_t i = 0; i < block.times.size(); ++i)
            reading.add(block.times[i].ns, block.values[i]);
    });
    for (std::size_t i = 0; i < blocks.size(); ++i)
        jobs.submit([block = blockOf(blocks[i]), i] { return readSamples(*block, i == 0); });
    jobs.finish();
    tally.finish();
    reading.skipped = report.skipped;
    for (const ImportWarning& warning : report.warnings)
        reading.warnings.emplace_back(warning.line, warning.text);
    all = tally.statistics();
    return reading;
}

// The report's numbers by the plainest means; short series only, which keep every interval.
struct PlainStatistics {
    std::int64_t missing = 0;
    std::int64_t repeated = 0;
    std::int64_t decreasing = 0;
    std::int64_t falls = 0;
    std::int64_t gaps = 0;
    std::optional<std::int64_t> period;
    std::optional<std::int64_t> changePeriod;

    bool operator==(const PlainStatistics&) const = default;
};

std::optional<std::int64_t> middle(std::vector<std::int64_t> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? std::nullopt : std::optional(values[values.size() / 2]);
}

PlainStatistics plainly(const std::vector<TimeNs>& times, const std::vector<double>& values) {
    PlainStatistics all;
    std::vector<std::int64_t> intervals;
    for (std::size_t i = 1; i < times.size(); ++i) {
        const std::int64_t interval = times[i].ns - times[i - 1].ns;
        all.repeated += interval == 0 ? 1 : 0;
        all.decreasing += interval < 0 ? 1 : 0;
        if (interval > 0)
            intervals.push_back(interval);
    }
    all.period = middle(intervals);
    for (const std::int64_t interval : intervals)
        all.gaps += interval > 10 * *all.period ? 1 : 0;
    std::vector<std::int64_t> changes;
    std::optional<double> value;
    std::optional<std::int64_t> changed;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (std::isnan(values[i])) {
            ++all.missing;
            continue;
        }
        all.falls += value && values[i] < *value ? 1 : 0;
        if (value && values[i] != *value) {
            if (changed && times[i].ns > *changed)
                changes.push_back(times[i].ns - *changed);
            changed = times[i].ns;
        }
        value = values[i];
    }
    all.changePeriod = middle(changes);
    return all;
}

PlainStatistics inPlain(const SampleStatistics& all) {
    const auto ns = [](std::optional<DurationNs> duration) {
        return duration ? std::optional(duration->ns) : std::nullopt;
    };
    return {all.missing(), all.repeatedTimes(), all.decreasingTimes(), all.falls(), all.gaps(),
        ns(all.samplePeriod()), ns(all.changePeriod())};
}

} // namespace

class tst_SampleProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyBlocksAndThreads() {
        WorkerPool none(0);
        WorkerPool three(3);
        Random random(11);
        std::size_t rows = 0;
        for (int round = 0; round < 400; ++round) {
            const auto lines = randomLines(random);
            const Reading expected = lineByLine(lines);
            rows += expected.times.size();
            SampleStatistics statistics;
            const auto blocks = randomBlocks(random, lines);
            const Reading apart = inBlocks(blocks, round % 2 == 0 ? none : three, statistics);
            QCOMPARE(apart.times, expected.times);
            QCOMPARE(apart.values, expected.values);
            QCOMPARE(apart.skipped, expected.skipped);
            QVERIFY(apart.warnings == expected.warnings);
            QCOMPARE(statistics.rows(), static_cast<std::int64_t>(expected.times.size()));
        }
        QVERIFY(rows > 20000);
    }

    void statisticsOfPieces() {
        Random random(12);
        for (int round = 0; round < 500; ++round) {
            std::vector<TimeNs> times;
            std::vector<double> values;
            std::int64_t now = 1000;
            for (std::size_t i = random() % 200; i > 0; --i) {
                const auto dice = random() % 40;
                now += dice == 0 ? 5000
                    : dice == 1  ? -30
                    : dice == 2  ? 0
                                 : 90 + static_cast<std::int64_t>(random() % 20);
                times.push_back({now});
                values.push_back(random() % 10 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                    : static_cast<double>(random() % 4));
            }
            SampleStatistics all;
            for (std::size_t at = 0; at < times.size();) {
                const std::size_t size
                    = std::min<std::size_t>(1 + random() % 60, times.size() - at);
                const auto piece = std::span(times).subspan(at, size);
                all.append(SampleStatistics::of(piece, std::span(values).subspan(at, size)), piece);
                at += size;
            }
            QVERIFY(inPlain(all) == plainly(times, values));
            QVERIFY(inPlain(SampleStatistics::of(times, values)) == plainly(times, values));
        }
    }

    // Every line of a stream arrives in some block, whatever the reads give and where blocks end.
    void blocksOfStreams() {
        Random random(13);
        for (int round = 0; round < 12; ++round) {
            std::string text;
            std::vector<std::string> lines;
            while (text.size() < LineBlocks::kBlock * 2) {
                lines.push_back(random() % 400 == 0 ? std::string(random() % 300'000, 'x')
                                                    : digits(random, random() % 60));
                text += lines.back() + "\n";
            }
            if (round % 2 == 0)
                text.pop_back(); // the last line without its end
            const auto tree = memoryTree({{"f", text}});
            LineBlocks blocks(std::move(tree->open("f")).value(), 100'000);
            std::vector<std::string> found;
            while (true) {
                const auto next = blocks.next();
                QVERIFY(next.hasValue());
                if (!next.value())
                    break;
                std::string_view left = next.value()->text();
                QVERIFY(left.ends_with('\n'));
                QVERIFY(!next.value()->isCut || left.size() == 100'001);
                while (!left.empty()) {
                    found.emplace_back(left.substr(0, left.find('\n')));
                    left.remove_prefix(found.back().size() + 1);
                }
            }
            QVERIFY(blocks.isAtEnd());
            if (!lines.empty() && lines.back().empty() && round % 2 == 0)
                lines.pop_back();
            QCOMPARE(found.size(), lines.size());
            for (std::size_t i = 0; i < lines.size(); ++i)
                QVERIFY(found[i] == lines[i]
                    || (lines[i].size() > 100'000 && found[i] == lines[i].substr(0, 100'000)));
        }
    }

    // Files and the metrics that they become, with unit, width and subject; and the words of folder
    // names.
    void metrics_data() {
        const auto row = test::columns<QByteArray, QByteArray, QByteArray, double, int>(
            "file", "metric", "unit", "scale", "bits");
        row("power", "gpu_power_3.csv", "gpu_power", "W", 1.0, 0);
        row("amd power", "power_3.csv", "gpu_power", "W", 1.0, 0);
        row("memory power", "mem_power_3.csv", "mem_power", "W", 1.0, 0);
        row("temperature", "gpu_thermal_3.csv", "gpu_temperature", "°C", 1.0, 0);
        row("clock", "sm_clock_3.csv", "sm_clock", "Hz", 1e6, 0);
        row("utilisation", "gpu_util_3.csv", "gpu_utilization", "1", 0.01, 0);
        row("nvlink", "nvlink_rx_throughput_3.csv", "nvlink_rx", "B", 1024.0, 32);
        row("pcie", "pcie_tx_bytes_3.csv", "pcie_tx", "B", 1.0, 32);
        row("pcie rate", "pcie_tx_throughput_3.csv", "pcie_tx_rate", "B/s", 1000.0, 0);
        row("own", "retired_pages_3.csv", "retired_pages", "1", 1.0, 0);
    }
    void metrics() {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, metric);
        QFETCH(QByteArray, unit);
        QFETCH(double, scale);
        QFETCH(int, bits);
        const auto description = describeSeries(*telemetryName(file.toStdString()), 8);
        QCOMPARE(description.metric.name, metric.toStdString());
        QCOMPARE(description.metric.unit, unit.toStdString());
        QCOMPARE(description.scale, scale);
        QCOMPARE(description.counterBits, bits);
        QCOMPARE(description.metric.kind == MetricKind::Counter, bits > 0);
        QVERIFY(description.subject == (Subject{SubjectKind::Gpu, 3, -1, {}}));
    }

    void sensors() {
        QVERIFY(describeSeries(*telemetryName("gpu_power_0.csv"), 8).sensor == SensorKind::Instant);
        QVERIFY(
            describeSeries(*telemetryName("mem_power_0.csv"), 8).sensor == SensorKind::Averaged);
        QVERIFY(describeSeries(*telemetryName("power_0.csv"), 8).sensor == SensorKind::Unknown);
    }

    void nodes() {
        const auto ib = describeSeries(*telemetryName("system_ib_rx_bytes_rank_16_id_ib1.csv"), 8);
        QCOMPARE(ib.metric.name, std::string("ib_rx"));
        QCOMPARE(ib.counterBits, 64);
        QVERIFY(ib.subject == (Subject{SubjectKind::Link, -1, 2, "ib1"}));
        QCOMPARE(
            describeSeries(*telemetryName("system_ib_rx_bytes_rank_16_id_ib1.csv"), 4).subject.node,
            4);
        const auto cpu = describeSeries(*telemetryName("system_cpu_temp_rank_8.csv"), 8);
        QCOMPARE(cpu.metric.name, std::string("cpu_temperature"));
        QVERIFY(cpu.subject == (Subject{SubjectKind::Node, -1, 1, {}}));
        const auto own = describeSeries(*telemetryName("system_cpu_iowait_rank_0.csv"), 8);
        QCOMPARE(own.metric.name, std::string("cpu_iowait"));
        QVERIFY(own.metric.kind == MetricKind::Gauge);
        QCOMPARE(describeSeries(*telemetryName("system_memory_free_rank_0.csv"), 8).metric.unit,
            std::string("B"));
    }

    void folderNames_data() {
        // overlap: -1: not said
        const auto row = test::columns<QByteArray, QByteArray, int, int, int>(
            "folder", "model", "overlap", "recompute", "microBatch");
        row("base", "gpt3-175b_3_00000", "gpt3-175b", 0, 0, -1);
        row("overlap", "gpt3-175b_3_10000", "gpt3-175b", 1, 0, -1);
        row("recompute", "llama3-70b_1_01000", "llama3-70b", 0, 1, -1);
        row("both", "mixtral_8x7b_2_11000", "mixtral_8x7b", 1, 1, -1);
        row("micro-batch", "gpt3-175b_2_mbs4", "gpt3-175b", -1, -1, 4);
        row("other", "my_run_folder", QByteArray(), -1, -1, -1);
        row("plain", "results", QByteArray(), -1, -1, -1);
        row("underscores", "__", QByteArray(), -1, -1, -1);
    }
    void folderNames() {
        QFETCH(QByteArray, folder);
        QFETCH(QByteArray, model);
        QFETCH(int, overlap);
        QFETCH(int, recompute);
        QFETCH(int, microBatch);
        LaunchConfig launch;
        applyFolderName(folder.toStdString(), launch);
        QCOMPARE(launch.model.value_or(""), model.toStdString());
        QCOMPARE(launch.overlap ? int{*launch.overlap} : -1, overlap);
        QCOMPARE(launch.recompute ? int{*launch.recompute} : -1, recompute);
        QCOMPARE(launch.microBatch.value_or(-1), microBatch);
        QCOMPARE(launch.origin, model.isEmpty() ? std::string() : std::string("folder name"));
    }

    void folderNameYieldsToTheFile() {
        LaunchConfig launch;
        launch.overlap = false;
        launch.origin = "x.yaml";
        applyFolderName("gpt3-175b_3_11000", launch);
        QVERIFY(!*launch.overlap);
        QVERIFY(*launch.recompute);
        QCOMPARE(launch.origin, std::string("x.yaml"));
    }

    void rankLists() {
        QCOMPARE(listRanks({}), std::string());
        QCOMPARE(listRanks({3}), std::string("3"));
        QCOMPARE(listRanks({3, 4}), std::string("3, 4"));
        QCOMPARE(listRanks({0, 3, 5, 6, 7, 12}), std::string("0, 3, 5-7, 12"));
    }
};

TRAINSCOPE_TEST(tst_SampleProperties)
#include "tst_SampleProperties.moc"
