// 50,000 levels of lists, objects, elements and brackets in everything that is parsed, of which
// each call for a level would be a few hundred bytes of a stack of 8 MiB: an answer, never a crash.

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/catalogue/GpuModel.h"
#include "core/catalogue/TrainingModel.h"
#include "core/layout/LayoutRequest.h"
#include "core/layout/Topology.h"
#include "core/predict/profile/Profile.h"
#include "core/work/OperatorSignature.h"
#include "core/work/WorkTable.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Link.h"
#include "importers/engine/Mapping.h"
#include "importers/registry/CountingSink.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

constexpr std::size_t kLevels = 50'000;

std::string repeated(std::size_t count, std::string_view text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
        all += text;
    return all;
}

// Nested lists and nested objects, closed and left open.
std::vector<std::string> nestings() {
    return {repeated(kLevels, "[") + repeated(kLevels, "]"), repeated(kLevels, "["),
        repeated(kLevels, R"({"a":)") + "1" + repeated(kLevels, "}"), repeated(kLevels, R"({"a":)"),
        repeated(kLevels, R"([{"a":)")};
}

std::string problemOf(const std::string& name, const std::string& content) {
    const auto tree = memoryTree({{name, content}});
    const auto plan = planImport(*tree, {});
    if (!plan.hasValue())
        return plan.error().describe();
    for (const ImportUnit& unit : plan.value().units) {
        test::CountingSink sink;
        const auto report = findImporter(unit.importer)->import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            return "an error without a message";
    }
    return plan.value().units.empty() && plan.value().unrecognised.empty() ? "lost" : std::string();
}

} // namespace

class tst_DeepNesting : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void files_data() {
        const auto row = test::columns<QString, QByteArray, QByteArray>("name", "before", "behind");

        const char* event
            = R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":7,)";
        const QByteArray trace = QByteArray(R"({"schemaVersion":1,"traceEvents":[)") + event;
        row("alone", "a.json", "", "");
        row("kineto, arguments", "rank0.pt.trace.json", trace + R"("args":)", "}]}");
        row("kineto, an argument", "rank0.pt.trace.json",
            trace + R"("args":{"stream":7,"Collective name":"allreduce","Process Group Ranks":)",
            "}}]}");
        row("kineto, input dims", "rank0.pt.trace.json", trace + R"("args":{"Input Dims":)",
            "}}]}");
        row("kineto, header", "rank0.pt.trace.json", R"({"schemaVersion":1,"distributedInfo":)",
            R"(,"traceEvents":[]})");
        row("kineto, groups", "rank0.pt.trace.json",
            R"({"schemaVersion":1,"distributedInfo":{"rank":0,"pg_config":)",
            R"(},"traceEvents":[]})");
        row("kineto, devices", "rank0.pt.trace.json", R"({"schemaVersion":1,"deviceProperties":)",
            R"(,"traceEvents":[]})");
        row("execution trace", "et.json",
            R"({"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[{"id":1,"name":"a","ctrl_deps":0,"inputs":)",
            "}]}");
        row("flight recorder", "nccl_trace_rank_0",
            R"({"version":"2.5","entries":[{"collective_seq_id":1,"input_sizes":)", "}]}");
        row("rocprofv3", "out_results.json",
            R"({"rocprofiler-sdk-tool":[{"metadata":{"pid":1},"buffer_records":)", "}]}");
        row("rocprof", "results.json",
            R"({"traceEvents":[{"ph":"X","name":"k","ts":"1","dur":"2","pid":"6","tid":"1","args":)",
            "}]}");
        row("log of JSON lines", "log.jsonl", R"({"step":1,"loss":)",
            "}\n{\"step\":2,\"loss\":1}\n");
        row("MLPerf log", "result.txt",
            R"(:::MLLOG {"namespace":"","time_ms":1,"event_type":"POINT_IN_TIME","key":"a","value":)",
            "}\n");
        row("monitor", "metrics.json", R"([{"timestamp":"2026-01-01T00:00:00Z","gpus":)", "}]");
        row("DeepSpeed configuration", "ds_config.json", R"({"train_batch_size":8,"optimizer":)",
            "}");
        row("YAML", "model_config.yaml", "trainer:\n  devices: 8\nmodel: ", "\n");
        row("script", "launch.sh", "torchrun --nproc_per_node 8 train.py --a ", "\n");
        row("Python", "config.py", "max_iters = 10\nmodel = ", "\n");
        row("log", "train.log", "[NeMo I 2024-10-24 16:30:14 a:1] \n{'step': 1, 'loss': ", "}\n");
    }
    void files() {
        QFETCH(QString, name);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, behind);
        for (const std::string& nested : nestings()) {
            const std::string said = problemOf(
                name.toStdString(), before.toStdString() + nested + behind.toStdString());
            QVERIFY2(said.empty(), said.c_str());
        }
    }

    void documents() {
        for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
                 {"topology.xml", repeated(kLevels, "<system><cpu>")},
                 {"graph.xml", "<system version=\"1\">" + repeated(kLevels, "<pci busid=\"0\">")},
                 {"smi.xml",
                     "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>" + repeated(kLevels, "<gpu>")},
                 {"a.yaml", repeated(kLevels, "- ") + "x"},
                 {"a.yaml", repeated(kLevels, "? ") + "x"},
                 {"a.yaml", "model: " + repeated(kLevels, "!t &a ")},
                 {"a.yaml",
                     [] {
                         std::string text;
                         for (int level = 0; level < 1800; ++level)
                             text += std::string(static_cast<std::size_t>(level), ' ') + "a:\n";
                         return text;
                     }()},
                 {"run.sh", repeated(kLevels, "$(") + repeated(kLevels, ")")},
                 {"run.sh",
                     "torchrun " + repeated(kLevels, "\"${a:-") + repeated(kLevels, "}\"")}}) {
            const std::string said = problemOf(name, content);
            QVERIFY2(said.empty(), (name + ": " + said).c_str());
        }
    }

    // Texts in a database or in a user's folder.
    void keptTexts() {
        const auto all = nestings();
        for (const std::string& nested : {all[0], all[2]}) {
            for (const char* frame :
                {"%", R"({"models":%})", R"({"models":[{"name":%}]})", R"({"gpus":[{"name":%}]})",
                    R"({"topology":%})", R"({"topology":{"links":%}})", R"({"version":1,"gpus":%})",
                    R"({"Process Group Ranks":%})", R"({"Input Dims":%,"Input type":[""]})",
                    R"({"operators":%})", R"({"categories":[{"name":"a","match":%}]})",
                    R"({"address":"http://a","metrics":%})",
                    R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":%}]}})",
                    R"({"status":"success","data":%})", R"({"tp":%})", R"({"order":%})"}) {
                const std::string form = frame;
                const std::size_t at = form.find('%');
                const std::string text = form.substr(0, at) + nested + form.substr(at + 1);
                (void)catalogue::parseTrainingModels(text);
                (void)catalogue::parseGpuModels(text);
                (void)layout::machineFromJson(text);
                (void)layout::requestFromJson(text);
                (void)predict::parseProfile(text, "p");
                (void)work::WorkTable::fromJson(text);
                (void)work::parseSignature(text);
                (void)analysis::KernelCategories::fromJson(text);
                (void)analysis::parseCollectiveDetail(text);
                (void)engine::linkFrom(text);
                (void)engine::mappingFrom(text);
                (void)engine::readLabelSets(text, [](engine::Labels&) { return Status(); });
                (void)engine::readSamples(text, [](engine::AnsweredSeries&) { return Status(); });
                (void)engine::readComplaint(text);
            }
        }
    }
};

TRAINSCOPE_TEST(tst_DeepNesting)
#include "tst_DeepNesting.moc"
