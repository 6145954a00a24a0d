// From a CharLLM-PPT tree to `summary --json`, against an independent computation in long double.

#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

using Samples = std::vector<trainscope::test::Sample>;

long double timeWeightedMean(const Samples& samples) {
    long double sum = 0;
    long double time = 0;
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        const auto dt = static_cast<long double>(samples[i + 1].ns - samples[i].ns);
        sum += samples[i].missing ? 0 : samples[i].value * dt;
        time += samples[i].missing ? 0 : dt;
    }
    return sum / time;
}

Samples present(const Samples& samples) {
    Samples result;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(result),
        [](const trainscope::test::Sample& s) { return !s.missing; });
    return result;
}

long double largest(const Samples& samples) {
    const auto all = present(samples);
    return std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.value < b.value;
    })->value;
}

// The values kept beside the tree never wrap, so the total is simply the rise.
long double rise(const Samples& samples) {
    const auto all = present(samples);
    return all.back().value - all.front().value;
}

struct EnergyAndTime {
    long double joules = 0;
    long double seconds = 0;
};

EnergyAndTime energyOf(const Samples& samples) {
    const auto all = present(samples);
    std::vector<std::int64_t> periods;
    for (std::size_t i = 1; i < all.size(); ++i)
        periods.push_back(all[i].ns - all[i - 1].ns);
    auto sorted = periods;
    std::sort(sorted.begin(), sorted.end());
    const auto n = sorted.size();
    const long double median = static_cast<long double>(sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    EnergyAndTime result;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto dt = static_cast<long double>(periods[i - 1]);
        if (dt > 10 * median)
            continue;
        result.joules += (all[i - 1].value + all[i].value) / 2 * dt / 1e9L;
        result.seconds += dt / 1e9L;
    }
    return result;
}

bool agrees(const nlohmann::json& actual, long double expected) {
    if (!actual.is_number())
        return false;
    const auto value = static_cast<long double>(actual.get<double>());
    return std::fabs(value - expected) <= 1e-9L * std::max(std::fabs(expected), 1e-12L);
}

long double populationStd(const std::vector<long double>& values) {
    long double mean = 0;
    for (const auto v : values)
        mean += v / static_cast<long double>(values.size());
    long double squares = 0;
    for (const auto v : values)
        squares += (v - mean) * (v - mean);
    return std::sqrt(squares / static_cast<long double>(values.size()));
}

} // namespace

class tst_ImportSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_tree = CharllmTree::write(
            m_folder->path() + QStringLiteral("/results/sweep/gpt3/gpt3_3_00000"), 11);
        m_database = (m_folder->path() + QStringLiteral("/runs.trainscope")).toStdString();
        const auto results = (m_folder->path() + QStringLiteral("/results")).toStdString();
        m_import = runCli({"import", results, "--into", m_database, "--json"});
    }

    void importReportsWhatItRead() {
        QVERIFY2(m_import.status == 0, m_import.err.c_str());
        const auto json = m_import.json();
        QCOMPARE(json["status"], "done");
        QCOMPARE(json["sources"].size(), std::size_t{1});
        std::int64_t rows = 0;
        std::int64_t missing = 0;
        const auto count = [&](const Samples& samples) {
            rows += static_cast<std::int64_t>(samples.size());
            missing += std::count_if(
                samples.begin(), samples.end(), [](const auto& s) { return s.missing; });
        };
        for (const auto& [metric, ranks] : m_tree.gpus) {
            for (const auto& [rank, samples] : ranks)
                count(samples);
        }
        for (const auto& [metric, nodes] : m_tree.links) {
            for (const auto& [node, devices] : nodes) {
                for (const auto& [device, samples] : devices)
                    count(samples);
            }
        }
        const auto& report = json["sources"][0]["report"];
        QCOMPARE(report["samples"].get<std::int64_t>(), rows);
        QCOMPARE(report["missing"].get<std::int64_t>(), missing);
        QCOMPARE(report["ranks_expected"], CharllmTree::kRanks);
        QCOMPARE(report["ranks_found"].size(), std::size_t{CharllmTree::kRanks - 1});
    }

    void runIsNamedByItsPathBelowTheFolder() {
        const auto run = summary();
        QCOMPARE(run["name"], "sweep/gpt3/gpt3_3_00000");
        QCOMPARE(run["kind"], "measured");
        QCOMPARE(run["status"], "ok");
    }

    void gpuStatisticsAgree() {
        const auto run = summary();
        QCOMPARE(run["gpus"].size(), std::size_t{CharllmTree::kRanks - 1});
        for (const auto& gpu : run["gpus"]) {
            const int rank = gpu["rank"].get<int>();
            QCOMPARE(gpu["node"], rank / CharllmTree::kGpusPerNode);
            QCOMPARE(gpu["local"], rank % CharllmTree::kGpusPerNode);
            for (const auto& [metric, ranks] : m_tree.gpus)
                compareSeries(gpu["metrics"][metric], ranks.at(rank), metric, rank);
            QVERIFY(agrees(gpu["energy_j"], energyOf(m_tree.gpus["gpu_power"][rank]).joules));
        }
    }

    void linksOfANodeAreSummed() {
        const auto run = summary();
        long double all = 0;
        for (const auto& node : run["nodes"]) {
            long double total = 0;
            for (const auto& [device, samples] : m_tree.links["ib_rx"][node["node"].get<int>()])
                total += rise(samples);
            QVERIFY(agrees(node["metrics"]["ib_rx"]["total"], total));
            all += total;
        }
        QVERIFY(agrees(run["metrics"]["ib_rx"]["total"], all));
    }

    void runStatisticsAgree() {
        const auto run = summary();
        long double joules = 0;
        long double covered = 0;
        std::int64_t begin = std::numeric_limits<std::int64_t>::max();
        std::int64_t end = 0;
        const auto include = [&](const Samples& samples) {
            begin = std::min(begin, samples.front().ns);
            end = std::max(end, samples.back().ns);
        };
        for (const auto& [metric, ranks] : m_tree.gpus) {
            for (const auto& [rank, samples] : ranks)
                include(samples);
        }
        for (const auto& [node, devices] : m_tree.links["ib_rx"]) {
            for (const auto& [device, samples] : devices)
                include(samples);
        }
        for (const auto& [rank, samples] : m_tree.gpus["gpu_power"]) {
            joules += energyOf(samples).joules;
            covered += energyOf(samples).seconds;
        }
        const long double duration = static_cast<long double>(end - begin) / 1e9L;
        QCOMPARE(run["start_ns"].get<std::int64_t>(), begin);
        QVERIFY(agrees(run["duration_s"], duration));
        QVERIFY(agrees(run["energy_j"], joules));
        QVERIFY(agrees(run["energy_coverage"], covered / duration / (CharllmTree::kRanks - 1)));
        QCOMPARE(run["gpu_count"], CharllmTree::kRanks - 1);
    }

    void imbalanceAgrees() {
        const auto run = summary();
        std::map<int, std::vector<long double>> means;
        std::vector<long double> all;
        for (const auto& [rank, samples] : m_tree.gpus["gpu_power"]) {
            means[rank / CharllmTree::kGpusPerNode].push_back(timeWeightedMean(samples));
            all.push_back(timeWeightedMean(samples));
        }
        long double intra = 0;
        std::vector<long double> nodeMeans;
        for (const auto& [node, values] : means) {
            intra += populationStd(values) / static_cast<long double>(means.size());
            long double mean = 0;
            for (const auto v : values)
                mean += v / static_cast<long double>(values.size());
            nodeMeans.push_back(mean);
        }
        const auto& power = run["metrics"]["gpu_power"];
        QVERIFY(agrees(power["intra_node_std"], intra));
        QVERIFY(agrees(power["inter_node_std"], populationStd(nodeMeans)));
        long double mean = 0;
        for (const auto v : all)
            mean += v / static_cast<long double>(all.size());
        QVERIFY(agrees(power["mean"], mean));
    }

    void keysThatDoNotApplyAreAbsent() {
        const auto run = summary();
        const auto& counter = run["gpus"][0]["metrics"]["pcie_tx"];
        for (const char* key : {"mean", "min", "max", "p50", "p99"})
            QVERIFY(!counter.contains(key));
        QVERIFY(!run["gpus"][0]["metrics"]["gpu_power"].contains("total"));
        QVERIFY(!run["metrics"]["pcie_tx"].contains("intra_node_std"));
        QCOMPARE(run["metrics"]["sm_clock"]["unit"], "Hz");
    }

    void importingAgainChangesNothing() {
        const auto before = runCli({"summary", m_database, "--json"}).out;
        const auto results = (m_folder->path() + QStringLiteral("/results")).toStdString();
        QVERIFY(succeeds({"import", results, "--into", m_database}));
        QCOMPARE(runCli({"summary", m_database, "--json"}).out, before);
    }

    void nameReplacesTheRunsName() {
        const auto results = (m_folder->path() + QStringLiteral("/results")).toStdString();
        const auto other = (m_folder->path() + QStringLiteral("/other.trainscope")).toStdString();
        QVERIFY(succeeds({"import", results, "--into", other, "--name", "mine"}));
        const auto json = jsonOf({"info", other});
        QCOMPARE(json["runs"][0]["name"], "mine");
    }

    void aRunMayBeNamedByItsLastParts() {
        QVERIFY(succeeds({"summary", m_database, "--run", "gpt3_3_00000", "--json"}));
        const auto unknown = runCli({"summary", m_database, "--run", "gpt4", "--json"});
        QCOMPARE(unknown.status, 2);
        QVERIFY(unknown.out.empty());
        VERIFY_SAYS(unknown.err, "sweep/gpt3/gpt3_3_00000");
    }

    // nvidia-smi dmon without times: 300 W over three readings, as far apart as was assumed, or
    // said.
    void anAssumedPeriodIsToldBesideTheEnergy() {
        const std::string log = (m_folder->path() + QStringLiteral("/dmon.log")).toStdString();
        std::ofstream file(log);
        file << "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk\n"
                "# Idx      W      C      C      %      %      %      %    MHz    MHz\n";
        for (int i = 0; i < 3; ++i)
            file << "    0    300     52      -     95     40      0      0   1593   1980\n";
        file.close();
        const auto database = [this](const char* name) {
            return (m_folder->path() + QLatin1Char('/') + QLatin1String(name)).toStdString();
        };
        const std::string assumed = database("assumed.trainscope");
        QVERIFY(runCli({"import", log, "--into", assumed}).status >= 0);
        const std::string told = "dmon.log has no time stamps: 1 s between its readings was "
                                 "assumed, and energy and duration rest on it; say --period on "
                                 "import";
        const auto run = jsonOf({"summary", assumed})["runs"][0];
        QCOMPARE(run["assumptions"], nlohmann::json::array({told}));
        QCOMPARE(run["energy_j"], 600.0);
        VERIFY_SAYS(runCli({"summary", assumed}).out, told);
        const std::string said = database("said.trainscope");
        QVERIFY(runCli({"import", log, "--into", said, "--period", "5s"}).status >= 0);
        const auto other = jsonOf({"summary", said})["runs"][0];
        QVERIFY(!other.contains("assumptions"));
        QCOMPARE(other["energy_j"], 3000.0);
        QVERIFY(runCli({"summary", said}).out.find("assumed") == std::string::npos);
    }

    void tablesForPeople() {
        const auto text = runCli({"summary", m_database});
        QCOMPARE(text.status, 0);
        VERIFY_SAYS(text.out, "gpu_power");
        const auto info = runCli({"info", m_database});
        QCOMPARE(info.status, 0);
        VERIFY_SAYS(info.out, "sweep/gpt3/gpt3_3_00000");
    }

private:
    nlohmann::json summary() {
        const auto ran = runCli({"summary", m_database, "--json"});
        const auto json = ran.json();
        return ran.status == 0 && json["runs"].size() == 1 ? json["runs"][0] : nlohmann::json();
    }

    static void compareSeries(
        const nlohmann::json& actual, const Samples& samples, const std::string& metric, int rank) {
        const auto where
            = QStringLiteral("%1 of rank %2").arg(QString::fromStdString(metric)).arg(rank);
        QCOMPARE(actual["samples"].get<std::size_t>(), samples.size());
        QCOMPARE(actual["missing"].get<std::size_t>(), samples.size() - present(samples).size());
        if (metric == "nvlink_rx" || metric == "pcie_tx") {
            QVERIFY2(agrees(actual["total"], rise(samples)), qPrintable(where));
            return;
        }
        QVERIFY2(agrees(actual["mean"], timeWeightedMean(samples)), qPrintable(where));
        QVERIFY2(agrees(actual["max"], largest(samples)), qPrintable(where));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    CharllmTree m_tree;
    std::string m_database;
    Ran m_import;
};

TRAINSCOPE_TEST(tst_ImportSummary)
#include "tst_ImportSummary.moc"
