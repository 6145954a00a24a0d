// Execution traces in their four encodings, alone and beside the Kineto trace of their process.
// Figures of real files were counted in Python with its own JSON reader and a hand-written protobuf
// reader: nodes but those of the recorder, attributes by name, ids of [tensor, storage, …] lists.

#include "core/layout/ProcessGroup.h"
#include "importers/common/ExecutionTrace.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/NodeValues.h"
#include "importers/registry/Registry.h"
#include "importers/support/Compress.h"
#include "importers/support/RecordingSink.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

std::string fileText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Imported {
    ImportPlan plan;
    test::RecordingSink sink;
    std::map<std::string, ImportReport> reports; // by path

    explicit Imported(const SourceTree& tree) { read(tree); }

private:
    void read(const SourceTree& tree) {
        auto planned = planImport(tree, {});
        QVERIFY(planned.hasValue());
        plan = std::move(planned).value();
        for (const ImportUnit& unit : plan.units) {
            if (!unit.enabled)
                continue;
            const auto report = findImporter(unit.importer)->import(tree, unit, sink, {});
            QVERIFY2(report.hasValue(), report.hasValue() ? "" : report.error().message.c_str());
            reports[unit.path] = report.value();
        }
    }
};

const char* const kSmall = R"json({"schema": "1.1.0-chakra.0.0.4", "pid": 42,
  "time": "2024-08-19 11:25:30", "start_ts": 1, "nodes": [
 {"id": 2, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1,
  "inputs": {"values": [], "shapes": [], "types": []},
  "outputs": {"values": [], "shapes": [], "types": []},
  "attrs": [{"name": "rf_id", "type": "uint64", "value": 0}]},
 {"id": 5, "name": "aten::mm", "ctrl_deps": 4,
  "inputs": {"values": [[47,415,0,6,4,"cuda:0"],[48,446,0,12,4,"cuda:0"]],
             "shapes": [[2,3],[3,4]], "types": ["Tensor(float)","Tensor(c10::Half)"]},
  "outputs": {"values": [[49,425,0,8,4,"cuda:0"]], "shapes": [[2,4]], "types": ["Tensor(float)"]},
  "attrs": [{"name": "rf_id", "type": "uint64", "value": 9},
            {"name": "tid", "type": "uint64", "value": 1}]},
 {"id": 4, "name": "aten::linear", "ctrl_deps": 2,
  "inputs": {"values": [7, [1,2], "<None>"], "shapes": [[],[[]],[]],
             "types": ["Int","GenericList[Int]","None"]},
  "outputs": {"values": [], "shapes": [], "types": []},
  "attrs": [{"name": "rf_id", "type": "uint64", "value": 8},
            {"name": "tid", "type": "uint64", "value": 1}]}
 ], "finish_ts": 9})json";

// A node that says so.
const char* const kWorldOfTwo = R"json( {"id": 3, "ctrl_deps": 2,
  "name": "## process_group:init ##", "inputs": {"values":
   ["[{\u0022pg_name\u0022: \u00220\u0022, \u0022pg_desc\u0022: \u0022default_pg\u0022, \u0022ranks\u0022: [], \u0022group_size\u0022: 2}]"],
   "shapes": [[]], "types": ["String"]},
  "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
)json";

const char* const kKineto = R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},
 "baseTimeNanoseconds": 1000000000000, "traceEvents": [
 {"ph":"X","cat":"cpu_op","name":"aten::linear","pid": 42,"tid":1,"ts":10.0,"dur":50.0,
  "args":{"External id":1,"Record function id": 8,"Ev Idx":0}},
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid": 42,"tid":1,"ts":20.0,"dur":30.0,
  "args":{"External id":2,"Record function id": 9,"Input Dims":[[9,9]],"Ev Idx":1}},
 {"ph":"X","cat":"cpu_op","name":"aten::add","pid": 42,"tid":1,"ts":70.0,"dur":30.0,
  "args":{"External id":3,"Record function id": 10,"Ev Idx":2}}]})";

std::string varint(std::uint64_t value) {
    std::string text;
    do {
        text += static_cast<char>((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return text;
}
std::string field(int number, const std::string& bytes) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string field(int number, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
std::string message(const std::string& bytes) {
    return varint(bytes.size()) + bytes;
}

} // namespace

class tst_ExecutionTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void objectsOfAStream() {
        const auto tree = memoryTree({{"a",
            "x {\"s\": \"}\\\"{\", \"nodes\": [ {\"a\":[{}]}, {\"b\":\"]\"} ], \"t\": "
            "[1]}{\"c\":2}"}});
        const auto stream = tree->open("a");
        JsonPaths objects(*stream.value(), {"nodes"}, JsonPaths::Outside::Given);
        std::string all;
        while (true) {
            const auto found = objects.next();
            QVERIFY(found.hasValue());
            if (!found.value())
                break;
            all += std::string(found.value()->path == JsonPaths::kOutside ? "W" : "E")
                + std::string(found.value()->text) + "|";
        }
        QCOMPARE(all,
            std::string("E{\"a\":[{}]}|E{\"b\":\"]\"}|W{\"s\": \"}\\\"{\", \"nodes\": [], \"t\": "
                        "[1]}|W{\"c\":2}|"));
    }

    void pythonLiterals() {
        QCOMPARE(jsonFromPython("[[1, 'cuda:0'], '<None>', None, True, (2,3), 'a\"b']"),
            std::string("[[1, \"cuda:0\"], \"<None>\", null, true, [2,3], \"a\\\"b\"]"));
    }

    // Its shapes come to the operators of the Kineto trace; what that says itself stays.
    void besideItsTrace() {
        const Imported done(*memoryTree({{"job/et_0.json", kSmall}, {"job/rank0.json", kKineto}}));
        QCOMPARE(done.plan.units.size(), std::size_t{2});
        QCOMPARE(done.sink.runs.size(), std::size_t{1});
        QCOMPARE(done.reports.at("job/rank0.json").counts.at("operators with its shapes"), 2);
        std::map<std::string, std::string> details;
        for (const auto& track : done.sink.tracks) {
            for (const Span& span : track.spans) {
                details[done.sink.name(span.name)] = done.sink.name(span.detail);
                QCOMPARE(span.correlation, std::int64_t{0});
            }
        }
        QCOMPARE(details["aten::add"], std::string());
        QCOMPARE(details["aten::mm"],
            std::string("{\"Input Dims\":[[9,9]],\"Input type\":[\"float\",\"c10::Half\"],"
                        "\"Concrete Inputs\":[\"\",\"\"],\"Output Dims\":[[2,4]],"
                        "\"Output type\":[\"float\"],"
                        "\"Input Tensors\":[[47,415,0,6,4,\"cuda:0\"],[48,446,0,12,4,\"cuda:0\"]],"
                        "\"Output Tensors\":[[49,425,0,8,4,\"cuda:0\"]],\"ET id\":5,\"ET "
                        "parent\":4}"));
        QCOMPARE(details["aten::linear"],
            std::string(
                "{\"Input Dims\":[[],[],[]],\"Input type\":[\"Scalar\",\"ScalarList\",\"\"],"
                "\"Concrete Inputs\":[\"7\",\"[1,2]\",\"\"],\"ET id\":4,\"ET parent\":2}"));
        QCOMPARE(done.reports.at("job/et_0.json").spans, std::int64_t{0});
    }

    void ofAnotherProcessItStaysAlone() {
        std::string other = kKineto;
        for (auto at = other.find("42"); at != std::string::npos; at = other.find("42", at + 3))
            other.replace(at, 2, "421");
        const Imported done(*memoryTree({{"job/et_0.json", kSmall}, {"job/rank0.json", other}}));
        QCOMPARE(done.sink.runs.size(), std::size_t{2});
    }

    // In order of ids, callers around what they call: linear [0,1) reaches to mm's end, at 1 µs.
    void aloneItIsAnOrder() {
        const Imported done(*memoryTree({{"et_3.json", kSmall}}));
        QCOMPARE(done.plan.units[0].rank, std::optional(3));
        QCOMPARE(done.sink.tracks.size(), std::size_t{1});
        const auto& spans = done.sink.tracks[0].spans;
        QCOMPARE(spans.size(), std::size_t{2});
        // date -u -d '2024-08-19 11:25:30' +%s
        const TimeNs begin{1'724'066'730'000'000'000};
        QCOMPARE(done.sink.name(spans[0].name), std::string("aten::linear"));
        QCOMPARE(spans[0].start.ns, begin.ns);
        QCOMPARE(spans[0].duration.ns, std::int64_t{1000});
        QCOMPARE(spans[1].start.ns, begin.ns);
        QCOMPARE(spans[1].duration.ns, std::int64_t{1000});
        const ImportReport& report = done.reports.at("et_3.json");
        QCOMPARE(report.counts.at("operators"), std::int64_t{2});
        QCOMPARE(report.counts.at("tensors"), std::int64_t{3});
        VERIFY_SAYS(report.warnings.back().text, "no times");
    }

    // A rank stands at the end of a name and lies within the world: numbers of GPUs and dates are
    // none, and neither is 3 in a world of two.
    void namesWithOtherNumbers() {
        std::string world = kSmall;
        world.insert(world.find(" {\"id\": 5"), kWorldOfTwo);
        const std::map<std::string, std::string> files{{"resnet_2gpu_et.json", kSmall},
            {"job-20240819112530.json", kSmall}, {"et_3.json", world}};
        for (const auto& [name, text] : files) {
            const Imported done(*memoryTree({{name, text}}));
            QCOMPARE(done.plan.units[0].rank, std::optional<int>());
            QCOMPARE(done.reports.at(name).ranksFound, std::vector<int>{0});
            VERIFY_SAYS(done.plan.units[0].notes.back(), "guess");
        }
        for (const char* name : {"et_1.json", "final.1.json", "rank1_2gpu_et.json"}) {
            const Imported done(*memoryTree({{name, world}}));
            QCOMPARE(done.plan.units[0].rank, std::optional(1));
            QCOMPARE(done.plan.units[0].worldSize, 2);
        }
    }

    void messages() {
        const std::string metadata = field(2, field(1, "schema") + field(29, "1.1.0"));
        const std::string node = field(1, 7) + field(2, "aten::mm") + field(3, 4) + field(4, "\3")
            + field(7, 61)
            + field(8,
                field(1, "[[47, 415, 0, 6, 4, 'cuda:0'], None]") + field(2, "[[2, 3], []]")
                    + field(3, "['Tensor(float)', 'None']"))
            + field(10, field(1, "rf_id") + field(9, 334))
            + field(10, field(1, "comm_type") + field(9, 7))
            + field(10, field(1, "comm_size") + field(9, 24576));
        const std::string all = message(metadata) + message(node);
        QVERIFY(isExecutionTrace(all));
        std::vector<TraceNode> nodes;
        const auto tree = memoryTree({{"a.et", all + "\x7f"}});
        const auto end = readExecutionTrace(*tree, "a.et",
            [&](TraceNode&& one) {
                nodes.push_back(std::move(one));
                return Status();
            },
            {});
        QVERIFY(end.hasValue());
        QVERIFY(!end.value().problem.empty());
        QCOMPARE(end.value().header.schema, std::string("1.1.0"));
        QCOMPARE(nodes.size(), std::size_t{1});
        QCOMPARE(nodes[0].function, std::int64_t{334});
        QCOMPARE(nodes[0].parent, std::int64_t{3});
        QCOMPARE(nodes[0].durationUs, std::optional(std::int64_t{61}));
        QCOMPARE(nodes[0].collective, std::string("reduce_scatter"));
        QCOMPARE(nodes[0].collectiveBytes, std::int64_t{24576});
        const std::string detail = detailText(nodes[0].detail);
        VERIFY_SAYS(detail, "\"Input Dims\":[[2,3],[]]");
    }

    void cutAndDamaged() {
        const std::string whole(kSmall);
        const std::string deep = R"({"schema":"x","nodes":[{"id":1,"rf_id":1,"inputs":)"
            + std::string(400'000, '[') + std::string(400'000, ']') + "}]}";
        (void)importCount(deep);
        // A node that is cut loses itself alone.
        QCOMPARE(importCount(whole.substr(0, whole.find("\"aten::linear\""))), 2);
    }

    void realPair() {
        const std::string data = realData();
        if (data.empty())
            QSKIP("the real files are not beside the checkout");
        const std::string name = "rank0_9c44bd29b3f0_1375.1724066820235157909.pt.trace.json";
        const Imported done(*memoryTree({{"tp2/" + name,
                                             fileText(data + "/kineto/megatron_tp2_v100/" + name)},
            {"tp2/pytorch_et_0.json", fileText(data + "/chakra_et/megatron_tp2_pytorch_et_0.json")},
            {"tp2/final.0.et", fileText(data + "/chakra_et/megatron_tp2_final.0.et")},
            {"tp2/final.0.json", fileText(data + "/chakra_et/megatron_tp2_final.0.json")}}));
        QCOMPARE(done.plan.units.size(), std::size_t{4});
        QCOMPARE(done.reports.size(), std::size_t{2}); // Chakra's say the same
        QCOMPARE(done.sink.runs.size(), std::size_t{1});
        QCOMPARE(done.reports.at("tp2/" + name).counts.at("operators with its shapes"), 1880);
        const ImportReport& report = done.reports.at("tp2/pytorch_et_0.json");
        QCOMPARE(report.rows, std::int64_t{1884});
        QCOMPARE(report.counts.at("operators"), std::int64_t{1881});
        QCOMPARE(report.counts.at("operators with shapes"), std::int64_t{1755});
        QCOMPARE(report.counts.at("tensors"), std::int64_t{250});
        QCOMPARE(report.counts.at("storages"), std::int64_t{300});
        QCOMPARE(report.counts.at("collective: allreduce"), std::int64_t{13});
        QCOMPARE(report.counts.at("bytes: allreduce"), std::int64_t{251'904});
        QCOMPARE(report.ranksExpected, 2);
        const auto groups = layout::processGroupsFromText(
            report.facts.at(std::string(layout::kProcessGroupsFact)));
        QCOMPARE(groups.size(), std::size_t{19}); // as the Kineto trace's pg_config has them
        QCOMPARE(groups[0].ranks, (std::vector<int>{0, 1}));
        // The event with "Record function id": 334.
        const Span* mm = nullptr;
        for (const auto& track : done.sink.tracks) {
            for (const Span& span : track.spans) {
                if (done.sink.name(span.detail).find("\"ET id\":456,") != std::string::npos)
                    mm = &span;
            }
        }
        QVERIFY(mm != nullptr);
        QCOMPARE(done.sink.name(mm->name), std::string("aten::mm"));
        QCOMPARE(mm->duration.ns, std::int64_t{83'275});
        const std::string detail = done.sink.name(mm->detail);
        VERIFY_SAYS(detail, "\"Input Dims\":[[512,12],[12,18]]");
        VERIFY_SAYS(detail, "\"Output Tensors\":[[180,425,0,9216,4,\"cuda:0\"]]");
    }

    void realEncodings_data() {
        const auto row = test::columns<QString, int, int>("file", "nodes", "allReduces");
        row("PyTorch 1.0.2", "astra_eg.rank_0.pt.trace.json", 4801, -1);
        row("PyTorch 1.1.0, gzip", "param_resnet_2gpu_et.json.gz", 14392, 15);
        row("Chakra messages", "megatron_tp2_final.0.et", 2128, -1);
        row("Chakra JSON", "megatron_tp2_final.0.json", 2128, -1);
    }
    void realEncodings() {
        const std::string data = realData();
        if (data.empty())
            QSKIP("the real files are not beside the checkout");
        QFETCH(QString, file);
        QFETCH(int, nodes);
        QFETCH(int, allReduces);
        const Imported done(*memoryTree(
            {{file.toStdString(), fileText(data + "/chakra_et/" + file.toStdString())}}));
        QCOMPARE(done.plan.units.size(), std::size_t{1});
        QCOMPARE(done.plan.units[0].importer, std::string("exectrace"));
        const ImportReport& report = done.reports.begin()->second;
        QCOMPARE(report.rows, std::int64_t{nodes});
        QCOMPARE(report.skipped, std::int64_t{0});
        if (allReduces >= 0)
            QCOMPARE(report.counts.at("collective: allreduce"), std::int64_t{allReduces});
    }

    // The same run by Chakra's two encodings: equal counts, collectives with 24,576 bytes each.
    void chakraFormsAgree() {
        const std::string data = realData();
        if (data.empty())
            QSKIP("the real files are not beside the checkout");
        std::vector<ImportReport> reports;
        for (const char* name :
            {"/chakra_et/megatron_tp2_final.0.et", "/chakra_et/megatron_tp2_final.0.json"}) {
            const Imported done(*memoryTree({{"final.0", fileText(data + name)}}));
            reports.push_back(done.reports.begin()->second);
        }
        QCOMPARE(reports[0].counts, reports[1].counts);
        QCOMPARE(reports[0].counts.at("collective: all_reduce"), std::int64_t{13});
        QCOMPARE(reports[0].counts.at("bytes: all_reduce"), std::int64_t{251'904});
    }

private:
    static std::string realData() {
        const std::string real = test::realFiles();
        return real.empty() ? real : real + "/data";
    }

    static int importCount(const std::string& text) {
        const auto tree = memoryTree({{"a.json", text}});
        int count = 0;
        const auto end = readExecutionTrace(*tree, "a.json",
            [&count](const TraceNode&) {
                ++count;
                return Status();
            },
            {});
        return end.hasValue() ? count : 0;
    }
};

TRAINSCOPE_TEST(tst_ExecutionTrace)
#include "tst_ExecutionTrace.moc"
