// Small inputs with faults that real files had, each with the right value beside it (expected.txt).
// They lie beside the checkout and are read in place.

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/support/ImportAll.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

bool isNear(double a, double b) {
    return qAbs(a - b) <= 1e-6 * std::max(1.0, qAbs(b));
}

bool isMissing(double value) {
    return std::isnan(value);
}

bool areNear(const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isNear);
}

std::vector<double> ofRun(const ImportedAll& log, const std::string& metric) {
    return log.values(metric, {SubjectKind::Run, -1, -1, {}});
}

// Spans by name with their microseconds.
std::map<std::string, std::vector<double>> spansOf(const ImportedAll& log) {
    std::map<std::string, std::vector<double>> found;
    for (const RecordedTrack& track : log.sink.tracks) {
        for (const Span& span : track.spans)
            found[log.sink.name(span.name)].push_back(static_cast<double>(span.duration.ns) / 1e3);
    }
    return found;
}

double nodeJoules(const ImportedAll& log) {
    double sum = 0.0;
    for (const RecordedSeries& series : log.sink.allSeries) {
        for (std::size_t i = 1;
             series.description.metric.name == "node_power" && i < series.values.size(); ++i)
            sum += 0.5 * (series.values[i] + series.values[i - 1])
                * (series.times[i] - series.times[i - 1]).seconds();
    }
    return sum;
}

std::int64_t startSeconds(const ImportedAll& log) {
    return log.sink.ofGpu("gpu_power", 0)->times.front().ns / 1'000'000'000;
}

using Check = std::function<bool(const ImportedAll&)>;
struct Case {
    const char* number;
    Check check;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"01",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 1 && log.ofGpu("gpu_power") == Values(12, 24.0)
                    && isNear(log.joules(), 264.0)
                    && log.ofGpu("column_4") == Values(12, 55.0) // bare: for --column
                    && log.ofGpu("column_8") == Values(12, 60.0);
            }},
        {"03",
            [](const ImportedAll& log) {
                const auto spans = spansOf(log);
                return log.plan.units.front().importer == "rocprof"
                    && spans.at("gemm_0") == Values{40} && spans.at("gemm_1") == Values{50}
                && spans.at("gemm_2") == Values{60};
            }},
        {"05",
            [](const ImportedAll& log) {
                return log.ofGpu("gpu_power") == Values{100, 120, 140};
            }},
        {"06",
            [](const ImportedAll& log) {
                return log.ofGpu("gpu_power") == Values{100, 120, 140};
            }},
        {"08",
            [](const ImportedAll& log) {
                return isNear(log.joules(), 450.0) && startSeconds(log) == 1'767'225'598;
            }},
        {"09",
            [](const ImportedAll& log) {
                return isNear(log.joules(), 400.0) && startSeconds(log) == 1'773'396'000;
            }},
        {"11",
            [](const ImportedAll& log) {
                return log.seconds("gpu_power") == Values{0, 1, 3, 4} && isNear(log.joules(), 400.0)
                    && log.warnings().find("damaged") != std::string::npos;
            }},
        {"16",
            [](const ImportedAll& log) {
                const auto spans = spansOf(log);
                return spans.at("outer") == Values{100} && spans.at("send") == Values{40}
                && spans.at("recv") == Values{50};
            }},
        {"17",
            [](const ImportedAll& log) {
                const auto spans = spansOf(log);
                return spans.at("forward").front() == 0.25 && spans.at("backward").front() == 0.45;
            }},
        {"18",
            [](const ImportedAll& log) {
                return log.reports.at(0).value().counts.at("launches by External id") == 2;
            }},
        {"19",
            [](const ImportedAll& log) {
                return ofRun(log, "loss") == Values{9, 8, 7}
                && ofRun(log, "step_time") == Values(3, 2.0);
            }},
        {"20",
            [](const ImportedAll& log) {
                const LaunchConfig& launch = log.sink.runs.at(0).launch;
                return ofRun(log, "eval_accuracy") == Values{0.6, 0.7, 0.8}
                && launch.globalBatch == 64 && spansOf(log).at("run") == Values{60e6};
            }},
        {"22",
            [](const ImportedAll& log) {
                return ofRun(log, "step_time") == Values(5, 0.9)
                    && ofRun(log, "sample_rate") == Values(6, 71.11)
                    && ofRun(log, "skipped_steps").back() == 2.0;
            }},
        {"23",
            [](const ImportedAll& log) {
                return ofRun(log, "step_time") == Values(5, 10.0)
                    && ofRun(log, "token_rate") == Values(5, 1000.0)
                    && ofRun(log, "loss").back() == 1.5;
            }},
        {"24",
            [](const ImportedAll& log) {
                return log.sink.iterations.size() == 10
                    && log.warnings().find("2 iterations are done twice, and 2 s")
                    != std::string::npos;
            }},
        {"28",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 4 && log.ofGpu("gpu_power", 0) == Values{240}
                && log.ofGpu("gpu_power", 1).empty() && log.ofGpu("gpu_power", 2) == Values{260};
            }},
        {"29",
            [](const ImportedAll& log) {
                return log.ofGpu("gpu_power", 0) == Values{717}
                && log.ofGpu("gpu_power", 1) == Values{94};
            }},
        {"30",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 1
                    && log.sink.gpus.begin()->second.model == "AMD Instinct MI210"
                    && log.ofGpu("gpu_power") == Values{100};
            }},
        {"31",
            [](const ImportedAll& log) {
                return log.sink.runs.size() == 3 && isNear(nodeJoules(log), 43'200.0);
            }},
        {"32",
            [](const ImportedAll& log) {
                return log.sink.runs.size() == 2 && isNear(nodeJoules(log), 54'000.0);
            }},
        {"33",
            [](const ImportedAll& log) {
                const std::string& told = log.reports.at(0).value().facts.at("nccl-tests");
                return log.sink.gpus.size() == 2
                    && log.sink.runs.at(0).gpuModel == "NVIDIA A100-SXM4-80GB"
                    && told.find("3 sizes to 4194304 B, at best 83.89 GB/s") != std::string::npos
                    && log.reports.at(0).value().facts.at("nccl-tests mean").starts_with("67.29");
            }},
        {"35",
            [](const ImportedAll& log) {
                return log.seconds("gpu_power") == Values{0, 1, 2, 3}
                && isNear(log.joules(), 300.0);
            }},
        {"36",
            [](const ImportedAll& log) {
                return log.ofGpu("gpu_power") == Values{100.5, 120.5, 140.5};
            }},
        {"37",
            [](const ImportedAll& log) {
                return log.ofGpu("gpu_utilization", 0) == Values(3, 0.5)
                    && log.ofGpu("gpu_utilization", 1) == Values(3, 0.3)
                    && log.ofGpu("gpu_temperature", 1) == Values(3, 50.0)
                    && log.ofGpu("power_limit", 0) == Values(3, 250.0);
            }},
        {"38",
            [](const ImportedAll& log) {
                return areNear(log.ofNode("vdd_gpu_soc"), Values(3, 2.8))
                    && areNear(log.ofNode("vdd_cpu_cv"), Values(3, 0.8))
                    && areNear(log.ofNode("vin_sys_5v0"), Values(3, 3.2))
                    && log.ofGpu("gpu_utilization") == Values(3, 0.4)
                    && log.ofGpu("gpu_temperature") == Values(3, 48.0);
            }},
        {"39",
            [](const ImportedAll& log) {
                return spansOf(log).at("nccl AllGather") == Values(3, 100.0)
                    && log.ofGpu("nccl_bus_bandwidth") == Values(3, 7.86432e9)
                    && log.sink.runs.at(0).worldSize == 4;
            }},
        {"26",
            [](const ImportedAll& log) {
                const auto& warnings = log.reports.at(0).value().warnings;
                return warnings.size() == 1 && warnings.front().file.ends_with("smi.csv");
            }},
        // NCCL's kernel of messages, launched within "nccl:all_to_all".
        {"51",
            [](const ImportedAll& log) {
                std::size_t told = 0;
                for (const RecordedTrack& track : log.sink.tracks) {
                    for (const Span& span : track.spans) {
                        told += span.kind == SpanKind::Kernel && span.detail.isValid()
                            && log.sink.name(span.detail).find(R"("Collective name":"all_to_all")")
                                != std::string::npos;
                    }
                }
                return told == 3; // for each rank
            }},
        // A step of no length at the begin of an operator of 200 µs.
        {"53",
            [](const ImportedAll& log) {
                double seconds = 0.0;
                int kernels = 0;
                for (const RecordedTrack& track : log.sink.tracks) {
                    for (const Span& span : track.spans) {
                        kernels += span.kind == SpanKind::Kernel ? 1 : 0;
                        seconds += span.kind == SpanKind::Kernel ? span.duration.seconds() : 0.0;
                    }
                }
                return kernels == 6 && isNear(seconds * 1e6, 700.0);
            }},
        {"57",
            [](const ImportedAll& log) {
                return log.warnings().find("20 launches of kernels were recorded and no kernel")
                    != std::string::npos;
            }},
        {"58",
            [](const ImportedAll& log) {
                const auto& facts = log.reports.at(0).value().facts;
                return facts.at(std::string(analysis::kAllocatorFact)).find("parameter")
                    == std::string::npos
                    && log.warnings().find("was not recorded") != std::string::npos;
            }},
        // Each process numbers its launches from 1: with the GPU of its own.
        {"60",
            [](const ImportedAll& log) {
                std::map<std::int64_t, std::set<std::string>> names; // by number
                for (const RecordedTrack& track : log.sink.tracks) {
                    for (const Span& span : track.spans) {
                        if (span.kind == SpanKind::Kernel)
                            names[span.correlation].insert(log.sink.name(span.name));
                    }
                }
                return names.size() == 8 && std::ranges::all_of(names, [](const auto& one) {
                    return one.second.size() == 1;
                });
            }},
        // Written "1.23K", "3410K", "1.02K", behind month, day and year.
        {"71",
            [](const ImportedAll& log) {
                const Values steps = ofRun(log, "step_time");
                return isNear(steps.at(0), 4.71) && isNear(steps.at(1), 1.23)
                    && ofRun(log, "token_rate").back() == 3.41e6
                    && log.sink.iterations.front().second.range.end.ns / 1'000'000'000
                    == 1'767'710'255;
            }},
        {"73",
            [](const ImportedAll& log) {
                const Values shares = log.ofGpu("gpu_utilization");
                return std::count(shares.begin(), shares.end(), 0.5) == 18
                    && std::count_if(shares.begin(), shares.end(), isMissing) == 2
                    && log.warnings().find("2 readings of gpu_utilization cannot be")
                    != std::string::npos;
            }},
        {"75",
            [](const ImportedAll& log) {
                const auto losses = [&log](std::int64_t run) {
                    for (const RecordedSeries& series : log.sink.allSeries) {
                        if (series.run.value == run && series.description.metric.name == "loss")
                            return Values{series.values.front(), series.values.back()};
                    }
                    return Values{};
                };
                return log.sink.runs.size() == 3 && losses(1) == Values{10.0, 8.9}
                && losses(2) == Values{8.0, 6.9} && losses(3) == Values{6.0, 4.9};
            }},
        {"76",
            [](const ImportedAll& log) {
                return log.sink.iterations.size() == 300
                    && areNear(ofRun(log, "step_time"), Values(29, 15.0)) && log.warnings().empty();
            }},
        {"77",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 2 && log.ofGpu("gpu_power", 0) == Values{100}
                && log.ofGpu("gpu_power", 1) == Values{300};
            }},
        {"78",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 1 && qAbs(log.joules() - 808.0) < 1.0
                    && log.warnings().empty();
            }},
        {"79",
            [](const ImportedAll& log) {
                const Values first = log.ofGpu("gpu_power", 0);
                const Values second = log.ofGpu("gpu_power", 1);
                return first.size() == 60 && second.size() == 60
                    && *std::min_element(first.begin(), first.end()) == 170.0
                    && *std::max_element(second.begin(), second.end()) == 16.46
                    && log.warnings().empty();
            }},
        {"81",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 1 && isNear(log.joules(), 1120.5)
                    && log.ofNode("cpu_power") == Values{45, 46, 47, 48, 49, 50, 51, 52, 53, 54};
            }},
        {"82",
            [](const ImportedAll& log) {
                return log.warnings().find("1 s between readings was assumed") != std::string::npos;
            }},
        {"83",
            [](const ImportedAll& log) {
                return log.sink.gpus.size() == 2 && isNear(log.joules(0) + log.joules(1), 91'500.0)
                    && startSeconds(log) == 1'767'690'000 && log.warnings().empty();
            }},
        {"85",
            [](const ImportedAll& log) {
                const Values losses = ofRun(log, "loss");
                return losses.size() == 20 && losses.front() == 8.4 && losses.back() == 6.5;
            }},
        {"86",
            [](const ImportedAll& log) {
                if (log.plan.units.front().path == "worker_0.log")
                    return ofRun(log, "train_throughput_per_npu").back() == 160.2e12
                        && isNear(ofRun(log, "step_time").at(1), 1.862);
                return isNear(ofRun(log, "tokens_per_second_per_gpu").at(1), 7111.1111)
                    && ofRun(log, "interval_runtime").at(1) == 1.152;
            }},
        {"93",
            [](const ImportedAll& log) {
                return areNear(ofRun(log, "step_time"), Values(10, 1.0 / 16.8));
            }},
        {"94",
            [](const ImportedAll& log) {
                return log.warnings().find(" 0.125 times batch x sequence length")
                    != std::string::npos;
            }},
        {"95",
            [](const ImportedAll& log) {
                return log.reports.at(0).value().skipped == 15
                    && log.warnings().find("15 rows do not fit the head of 4 cells")
                    != std::string::npos;
            }},
    };
    return all;
}

// Runs of a folder whose files belong together or not, and a part of what is warned of.
struct FolderCase {
    const char* number;
    std::set<std::string> runs;
    const char* warning = nullptr; // nullptr: not looked at; "": nothing is
};
const std::vector<FolderCase>& folderCases() {
    static const std::vector<FolderCase> all{
        {"54", {"ctx128_train", "ctx512_train"}}, // names differ in what was tried
        {"66", {"66-execution-trace-without-match"},
            "none of the 3 operators of step_et.json was found in this trace"},
        {"87", {"87-table-without-times-beside-telemetry"}},
        {"89", {"attempt_1/run_1", "attempt_2/run_1"}},
        {"91", {"gpus"}, ""}, // peer access is no topology
        {"96", {}, ""}, // reports quote the lines of logs
    };
    return all;
}

class tst_WildSmall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void folders_data() {
        const auto row = columns<int>("at");
        for (std::size_t i = 0; i < folderCases().size(); ++i)
            row(folderCases()[i].number, static_cast<int>(i));
    }
    void folders() {
        QFETCH(int, at);
        const FolderCase& one = folderCases()[static_cast<std::size_t>(at)];
        const QDir all(QString::fromStdString(realFiles()) + QStringLiteral("/data/wild_small"));
        const QStringList folders
            = all.entryList({QString::fromLatin1(one.number) + QStringLiteral("-*")}, QDir::Dirs);
        if (folders.isEmpty())
            QSKIP("The small wild inputs are not beside the checkout.");
        const auto tree = importers::openDiskTree(all.filePath(folders.front()).toStdString());
        QVERIFY(tree.hasValue());
        const ImportedAll log(*tree.value());
        std::set<std::string> runs;
        for (const importers::ImportUnit& unit : log.plan.units) {
            QVERIFY(unit.enabled);
            runs.insert(unit.runName);
        }
        QCOMPARE(runs, one.runs);
        const std::string_view told = one.warning == nullptr ? "" : one.warning;
        VERIFY_SAYS(log.warnings(), told);
        QVERIFY(one.warning == nullptr || !told.empty() || log.warnings().empty());
    }
    void inputs_data() {
        const auto row = columns<int>("at");
        for (std::size_t i = 0; i < cases().size(); ++i)
            row(cases()[i].number, static_cast<int>(i));
    }
    void inputs() {
        QFETCH(int, at);
        const Case& one = cases()[static_cast<std::size_t>(at)];
        const QDir all(QString::fromStdString(realFiles()) + QStringLiteral("/data/wild_small"));
        const QStringList folders
            = all.entryList({QString::fromLatin1(one.number) + QStringLiteral("-*")}, QDir::Dirs);
        if (folders.isEmpty())
            QSKIP("The small wild inputs are not beside the checkout.");
        const QDir folder(all.filePath(folders.front()));
        for (const QString& name : folder.entryList(QDir::Files)) {
            if (name == QStringLiteral("expected.txt"))
                continue;
            const auto tree = importers::openDiskTree(folder.filePath(name).toStdString());
            QVERIFY(tree.hasValue());
            const ImportedAll log(*tree.value());
            QVERIFY(!log.reports.empty());
            for (const auto& report : log.reports)
                QVERIFY2(report.hasValue(), log.warnings().c_str());
            QVERIFY2(one.check(log),
                qPrintable(
                    folder.path() + QLatin1Char('\n') + QString::fromStdString(log.warnings())));
        }
    }
};

} // namespace

TRAINSCOPE_TEST(tst_WildSmall)
#include "tst_WildSmall.moc"
