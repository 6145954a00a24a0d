// The plan of a folder: units, joined logs, and the reasons for what is left out.

#include "importers/common/ArchiveTree.h"
#include "importers/registry/HashingTree.h"
#include "importers/registry/Registry.h"
#include "importers/rocprof/RocprofSamples.h"
#include "importers/support/MakeArchive.h"
#include "support/Content.h"
#include "support/TestProgram.h"

#include <malloc.h>

#include <atomic>

using namespace trainscope::importers;

namespace {

using namespace std::string_literals;

const std::string kLog = "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n";
const std::string kSteps
    = " iteration 1/ 9 | elapsed time per iteration (ms): 10.0 | lm loss: 2.0 |\n"
      " iteration 2/ 9 | elapsed time per iteration (ms): 10.0 | lm loss: 2.0 |\n";
const std::string kTrace
    = R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":0,"world_size":1},"traceEvents":[
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1776816000000000,"dur":5,"args":{"device":0,"stream":7}}]})";

ImportPlan planOf(
    std::vector<std::pair<std::string, std::string>> files, std::string_view only = {}) {
    const auto tree = memoryTree(std::move(files));
    return planImport(*tree, {}, only).valueOr(ImportPlan{});
}

std::uint64_t memoryInUse() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Counts the bytes that are read through it; what is passed over does not count. Sees the most
// memory that was in use at a read.
class CountingTree final : public SourceTree {
public:
    explicit CountingTree(const SourceTree& inner)
        : m_inner(inner) { }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner.files(); }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner.displayPath(path);
    }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        return std::unique_ptr<ByteStream>(
            std::make_unique<Stream>(m_inner.openRaw(path).value(), *this));
    }
    [[nodiscard]] std::uint64_t bytesRead() const { return m_bytesRead; }
    [[nodiscard]] std::uint64_t mostMemory() const { return m_mostMemory; }

private:
    class Stream final : public ByteStream {
    public:
        Stream(std::unique_ptr<ByteStream> inner, const CountingTree& tree)
            : m_stream(std::move(inner))
            , m_tree(tree) { }
        Result<std::size_t> read(std::span<std::byte> buffer) override {
            auto got = m_stream->read(buffer);
            m_tree.m_bytesRead += got.valueOr(0);
            const std::uint64_t now = memoryInUse();
            auto most = m_tree.m_mostMemory.load();
            while (now > most && !m_tree.m_mostMemory.compare_exchange_weak(most, now)) { }
            return got;
        }
        Result<std::uint64_t> skip(std::uint64_t count) override { return m_stream->skip(count); }
        [[nodiscard]] std::uint64_t bytesConsumed() const override {
            return m_stream->bytesConsumed();
        }

    private:
        std::unique_ptr<ByteStream> m_stream;
        const CountingTree& m_tree;
    };

    const SourceTree& m_inner;
    mutable std::atomic<std::uint64_t> m_bytesRead = 0;
    mutable std::atomic<std::uint64_t> m_mostMemory = 0;
};

const ImportUnit* unitOf(const ImportPlan& plan, std::string_view importer) {
    const auto found = std::find_if(plan.units.begin(), plan.units.end(),
        [importer](const ImportUnit& unit) { return unit.importer == importer; });
    return found == plan.units.end() ? nullptr : &*found;
}

std::vector<std::string> rowsOf(const std::string& path, const std::string& head) {
    std::ifstream file(path);
    std::vector<std::string> rows;
    bool isInside = false;
    for (std::string line; std::getline(file, line);) {
        isInside = isInside ? line.starts_with('|') : line == head;
        if (isInside && line != head && !line.starts_with("|--"))
            rows.push_back(line);
    }
    return rows;
}

} // namespace

class tst_Plan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A text that goes on and on, and is nothing: it is read a few times, and little of it is kept.
    void endlessTexts_data() {
        // rest: again and again
        const auto row = test::columns<std::string, std::string>("begin", "rest");
        const std::string event = R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,)";
        row("blanks", "", " ");
        row("blanks in an object", "{", " ");
        row("blanks in a trace", R"({"traceEvents":[)"s, " ");
        row("blanks behind an event",
            R"({"traceEvents":[)" + event + R"("tid":7,"args":{"device":0,"stream":7}},)", " ");
        row("an event", R"({"traceEvents":[)" + event, R"("ts":3,)"s);
        row("lines of a log", "", "iteration 1 |\n");
    }
    void endlessTexts() {
        QFETCH(std::string, begin);
        QFETCH(std::string, rest);
        constexpr std::size_t kSize = std::size_t{34} << 20; // more than may be kept
        std::string text = begin;
        text.reserve(kSize + rest.size());
        while (text.size() < kSize)
            text += rest;
        const auto tree = memoryTree({{"t.json", std::move(text)}});
        const CountingTree counted(*tree);
        const std::uint64_t before = memoryInUse();
        QVERIFY(planImport(counted, {}).hasValue());
        const auto kept = static_cast<std::int64_t>(counted.mostMemory() - before);
        QVERIFY2(kept < (std::int64_t{32} << 20), qPrintable(QString::number(kept)));
        QVERIFY2(counted.bytesRead() < 6 * kSize, qPrintable(QString::number(counted.bytesRead())));
    }

    void reasons_data() {
        const auto row = test::columns<QString, std::string, QString>("name", "content", "reason");
        row("empty", "a.csv", "", "empty");
        row("JPEG", "photo.csv", "\xff\xd8\xff\xe0\x00\x10JFIF"s, "JPEG image");
        row("SQLite", "runs.trace", "SQLite format 3\0\x10\x00"s, "SQLite database");
        row("execution trace", "rank_0.pt.trace.json",
            R"({"schema":"1.0.2-chakra.0.0.4","nodes":[]})"s,
            "execution trace without nodes that could be read");
        row("YAML", "launch.yaml", "trainer:\n  devices: 8\n", "YAML, not telemetry");
        row("text", "notes.txt", "we ran this on Monday\n", "text without known columns");
        row("blanks", "b.csv", "\n\n  \n", "empty: nothing but blanks");
        row("PNG", "x", "\x89PNG\r\n\x1a\n", "PNG image");
        row("Python", "layers.py", "  # [B, 1, T, T]\n    the mask is of shape [B, 1, 1, T]\n",
            "script or source text, not telemetry");
        row("source that quotes a log", "log.cpp", kSteps, "script or source text, not telemetry");
        row("report that quotes a log", "report.md", kSteps, "documentation, not telemetry");
        row("report that quotes a table", "README.txt", kLog, "documentation, not telemetry");
        row("settings that quote a log", "run.toml", "command = \"train\"\n" + kSteps,
            "configuration, not telemetry");
        row("command that records", "commands.txt",
            "nvidia-smi --query-gpu=timestamp,index,power.draw,utilization.gpu --format=csv\n",
            "text without known columns");
        row("script that records", "record.txt",
            "#!/bin/bash\nnvidia-smi --query-gpu=timestamp,power.draw --format=csv &\n"
            "torchrun train.py\n",
            "script or source text, not telemetry");
        row("settings with a command", "settings.json",
            R"({"command": "torchrun train.py", "step": 10, "loss": 2.5})"s,
            "settings or results as JSON, no log");
        row("results", "results.json",
            "[\n{\"command\": \"a\", \"step\": 100, \"loss\": 2.5},\n"
            "{\"command\": \"b\", \"step\": 100, \"loss\": 2.4}\n]\n",
            "settings or results as JSON, no log");
        row("results of a command", "results.txt",
            "{\n\"command\": \"a\",\n\"results\": [\n{\"step\": 1, \"loss\": 2.5},\n"
            "{\"step\": 2, \"loss\": 2.4}\n]}\n",
            "settings or results as JSON, no log");
        row("XLA's trace for viewers", "host.trace.json",
            R"({"traceEvents":[{"ph":"M","pid":1,"name":"process_name",
                "args":{"name":"/device:GPU:0 NVIDIA H100"}},
                {"ph":"X","pid":1,"tid":13,"ts":1000,"dur":100,"name":"gemm"}]})"s,
            "trace of JAX or TensorFlow for viewers, without its moments: import "
            "the .xplane.pb of the same profile");
        row("JSON", "x.json", "{\"a\": 1}", "JSON without trace events or readings that are known");
        row("log of a training run", "slurm.log",
            "[2024-10-10 07:25:56,682] [INFO] [real_accelerator.py:161:get_accelerator] cuda\n",
            "training log without steps that are known");
        row("training log without iterations", "metrics.json",
            "{\"epoch\": 1, \"loss\": 10.8}\n{\"epoch\": 2}\n",
            "training log without steps that are known");
        row("numbers as JSON", "n.json", "[1.5, 2]",
            "JSON without trace events or readings that are known");
        row("DeepSpeed", "ds.json", "{\"zero_optimization\": {\"stage\": 1}}",
            "DeepSpeed configuration, not telemetry");
        row("table of Zeus", "zeus.csv",
            "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n"
            "cifar100,shufflenetv2,1024,adadelta,100,27.13,106.9\n",
            "Zeus summary of runs by power limit, not telemetry");
    }
    void reasons() {
        QFETCH(QString, name);
        QFETCH(std::string, content);
        QFETCH(QString, reason);
        const ImportPlan plan = planOf({{name.toStdString(), content}});
        QVERIFY(plan.units.empty());
        QCOMPARE(plan.unrecognised.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(plan.unrecognised[0].reason), reason);
    }
    // Rows that name their command are a log: each is an object of its own.
    void rowsWithACommandAreALog() {
        const std::string rows = "{\"command\": \"train\", \"step\": 1, \"loss\": 2.5}\n"
                                 "{\"command\": \"train\", \"step\": 2, \"loss\": 2.4}\n";
        QVERIFY(unitOf(planOf({{"log.json", rows}}), "trainlog") != nullptr);
        QVERIFY(unitOf(planOf({{"log.jsonl", rows.substr(0, rows.find('\n'))}}), "trainlog")
            != nullptr);
    }
    // A terminal that was kept: the command, and what it printed.
    void aCommandBeforeItsRowsIsNoHead() {
        const ImportPlan plan = planOf({{"smi.log",
            "$ nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -l 1\n" + kLog}});
        QCOMPARE(plan.units.size(), std::size_t{1});
        QCOMPARE(plan.units[0].importer, "nvsmi"s);
        QVERIFY(plan.units[0].start.has_value());
    }
    void writtenTextsAreReadAsSaid() {
        QVERIFY(planOf({{"steps.log", kSteps}}).units.size() == 1);
        QVERIFY(planOf({{"steps.md", kSteps}}).units.empty());
        const ImportPlan plan = planOf({{"steps.md", kSteps}}, "trainlog");
        QCOMPARE(plan.units.size(), std::size_t{1});
        QCOMPARE(plan.units.front().importer, "trainlog"s);
    }
    // The header of SQLite: pages of 4096 bytes at 16, change counter at 24, number of pages at 28,
    // and at 92 the change counter of when that was written.
    void databasesThatAreCut() {
        std::string database = "SQLite format 3\0\x10\0"s + std::string(82, '\0');
        database[27] = 7;
        database[31] = 10;
        database[95] = 7;
        database.resize(38'911, 'x'); // cut from 10 * 4096 bytes
        const std::string whole = database + std::string(40'960 - database.size(), 'x');
        std::string outdated = database; // by a program that does not count pages
        outdated[95] = 6;
        const ImportPlan plan = planOf({{"a.sqlite", database}, {"b.sqlite", whole},
            {"c.sqlite", outdated}, {"d.sqlite.gz", trainscope::test::gzipped(whole)}});
        QCOMPARE(plan.unrecognised.size(), std::size_t{4});
        QCOMPARE(plan.unrecognised[0].reason,
            "SQLite database that is cut short (38911 of 40960 bytes): copy it again"s);
        for (std::size_t i = 1; i < 4; ++i)
            QCOMPARE(plan.unrecognised[i].reason, "SQLite database"s);
    }
    // A file that is stored in them, and not compressed, looks like a log.
    void archivesInsideArchives() {
        const std::string inner = trainscope::test::zipOf({{"gpu.csv", kLog}});
        const std::string tar = trainscope::test::tarOf({{"gpu.csv", kLog}});
        const auto tree = withArchives(memoryTree(
            {{"outer.zip", trainscope::test::zipOf({{"inner.zip", inner}, {"inner.tar", tar}})},
                {"table.csv", inner}}));
        const ImportPlan plan = planImport(*tree, {}).valueOr(ImportPlan{});
        QVERIFY(plan.units.empty());
        QCOMPARE(plan.unrecognised.size(), std::size_t{3});
        for (std::size_t i = 0; i < 2; ++i)
            QCOMPARE(plan.unrecognised[i].reason, "archive inside an archive: unpack it first"s);
        QCOMPARE(
            plan.unrecognised[2].reason, "ZIP archive (or a file built on one: .pt, .npz, .docx)"s);
    }
    void logBesideOneTrace() {
        const ImportPlan plan = planOf({{"job/trace_rank0.json", kTrace}, {"job/smi.csv", kLog},
            {"job/README.md", "# hello\n"}});
        QCOMPARE(plan.units.size(), std::size_t{2});
        const ImportUnit* trace = unitOf(plan, "kineto");
        const ImportUnit* log = unitOf(plan, "nvsmi");
        QVERIFY(trace != nullptr && log != nullptr);
        QCOMPARE(log->runName, trace->runName);
        QVERIFY(!log->notes.empty());
        QCOMPARE(plan.unrecognised.size(), std::size_t{1});
        QCOMPARE(plan.unrecognised[0].path, std::string("job/README.md"));
    }
    void logBesideTwoRuns() {
        const ImportPlan plan = planOf(
            {{"a/trace.json", kTrace}, {"b/trace.json", kTrace + "\n"}, {"smi.csv", kLog}});
        const ImportUnit* log = unitOf(plan, "nvsmi");
        QVERIFY(log != nullptr);
        QCOMPARE(log->runName, std::string("smi"));
    }
    void onlyOneFormat() {
        const ImportPlan plan = planOf({{"trace.json", kTrace}, {"smi.csv", kLog}}, "kineto");
        QCOMPARE(plan.units.size(), std::size_t{1});
        QCOMPARE(plan.units[0].importer, std::string("kineto"));
        QCOMPARE(plan.unrecognised.size(), std::size_t{1});
    }
    // The JSON of the first rocprof is a list of trace events, which Kineto's reader knows as well
    // and is asked first; also where the file is longer than the first look.
    void theSurestFormatHasTheFile() {
        const std::string head = test::kOldJson.substr(0, test::kOldJson.find(",{\"ts\":0"));
        const std::string tail = test::kOldJson.substr(head.size());
        const std::string event
            = R"json(,{"ph":"X","name":"gemm(float*)","ts":"1","dur":"1","pid":"7","tid":"0",
  "args":{"BeginNs":"1000","EndNs":"1600","dev-id":"1","queue-id":"2","pid":"4711","tid":"70"}})json";
        std::string many;
        while (many.size() < 100'000)
            many += event;
        for (const std::string& events : {std::string(), many}) {
            const ImportPlan plan = planOf({{"results.json", head + events + tail}});
            QCOMPARE(plan.units.size(), std::size_t{1});
            QCOMPARE(plan.units[0].importer, "rocprof"s);
            QVERIFY(plan.unrecognised.empty());
        }
        QVERIFY(unitOf(planOf({{"trace.json", kTrace}}), "rocprof") == nullptr);
    }
    void unknownFormat() {
        const auto tree = memoryTree({{"smi.csv", kLog}});
        const auto plan = planImport(*tree, {}, "excel");
        QVERIFY(!plan.hasValue());
        QCOMPARE(plan.error().code, ErrorCode::Usage);
        VERIFY_SAYS(plan.error().message, "nvsmi");
    }
    void cancelled() {
        const auto tree = memoryTree({{"smi.csv", kLog}});
        const auto plan = planImport(*tree, [](const ProgressState&) { return false; });
        QVERIFY(!plan.hasValue());
        QCOMPARE(plan.error().code, ErrorCode::Cancelled);
    }
    void forbiddenFolder() {
        QTemporaryDir dir;
        QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("locked")));
        QVERIFY(test::writeContent(dir.filePath(QStringLiteral("locked/smi.csv")), kLog.c_str()));
        const QString locked = dir.filePath(QStringLiteral("locked"));
        QVERIFY(QFile::setPermissions(locked, {}));
        if (QDir(locked).isReadable()) {
            QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            QSKIP("SKIPPED: this user may read everything");
        }
        const auto tree = openDiskTree(dir.path().toStdString());
        QVERIFY(tree.hasValue());
        const auto plan = planImport(*tree.value(), {});
        QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().unrecognised.size(), std::size_t{1});
        VERIFY_SAYS(plan.value().unrecognised[0].reason, "ermission");
    }
    void traceBehindALargeMember() {
        const std::string member = "{\"frames\": \"" + std::string(3'000'000, 'x') + "\", ";
        const std::string events
            = "\"traceEvents\": [{\"ph\": \"X\", \"name\": \"k\", \"ts\": 1}]}";
        const auto tree
            = memoryTree({{"a.json", member + events}, {"b.json", member + "\"x\": 1}"}});
        for (const char* only : {"", "kineto"}) {
            const auto plan = planImport(*tree, {}, only);
            QVERIFY(plan.hasValue());
            QCOMPARE(plan.value().units.size(), std::size_t{1});
            QCOMPARE(plan.value().units[0].path, std::string("a.json"));
            QCOMPARE(plan.value().unrecognised.size(), std::size_t{1});
            QCOMPARE(plan.value().unrecognised[0].reason,
                std::string("JSON without trace events or readings that are known"));
        }
    }
    void looksAtLittle_data() {
        const auto row = test::columns<std::string>("content");
        const std::string frames(1'600'000, 'x');
        row("one member", "{\"frames\": \"" + frames + "\"}");
        row("one line of numbers", "{\"frames\": [0" + std::string(800'000, ',') + "1]}");
        std::string lines = "{\n";
        for (int i = 0; i < 40'000; ++i)
            lines += "  \"member " + std::to_string(i) + "\": {\"a\": 1, \"b\": 2, \"c\": 3},\n";
        row("many lines", lines + "  \"end\": 0\n}\n");
        row("text", "we, ran: this on (Monday) 1 W, 2 W\n" + frames);
    }
    // An unknown file of any size is only read at its beginning, middle and end.
    void looksAtLittle() {
        QFETCH(std::string, content);
        const auto tree = memoryTree({{"unknown.json", content}});
        const CountingTree counting(*tree);
        const auto plan = planImport(counting, {});
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().unrecognised.size(), std::size_t{1});
        constexpr std::uint64_t kOneLook = 65'536;
        QVERIFY2(counting.bytesRead() <= 3 * kOneLook + 32,
            qPrintable(QString::number(counting.bytesRead())));
    }
    // Between large members that hold nothing.
    void eventsInTheMiddle() {
        std::string events;
        for (int i = 0; i < 3000; ++i)
            events += std::string(i == 0 ? "" : ",")
                + R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)"
                + std::to_string(10 * i) + R"(,"dur":5,"args":{"device":0,"stream":7}})";
        const std::string padding(300'000, 'x');
        const auto tree = memoryTree({{"trace.json",
            R"({"before":")" + padding + R"(","traceEvents":[)" + events + R"(],"after":")"
                + padding + R"("})"}});
        const auto plan = planImport(*tree, {});
        QVERIFY(plan.hasValue());
        QVERIFY(plan.value().unrecognised.empty());
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        QCOMPARE(plan.value().units.front().importer, std::string("kineto"));
    }
    void hashes() {
        const auto hashOf = [](std::vector<std::pair<std::string, std::string>> files) {
            const auto tree = memoryTree(std::move(files));
            const auto plan = planImport(*tree, {});
            return HashingTree(*tree).hashOf(plan.value().units.at(0), {}).valueOr(std::string());
        };
        const std::string one = hashOf({{"a/smi.csv", kLog}});
        QCOMPARE(one.size(), std::size_t{32});
        QCOMPARE(hashOf({{"moved/elsewhere/smi.csv", kLog}}), one);
        QVERIFY(hashOf({{"a/smi.csv", kLog + "2026/04/22 00:00:01.000, 0, 71 W\n"}}) != one);
        QVERIFY(hashOf({{"a/other.csv", kLog}}) != one);
    }

    // The README's table of formats is the list of the code, in its order and words.
    void tableIsTheCodesList() {
        const std::string source = qEnvironmentVariable("TRAINSCOPE_SOURCE").toStdString();
        if (source.empty())
            QSKIP("TRAINSCOPE_SOURCE does not say where the checkout is");
        const auto rows = rowsOf(source + "/README.md", "| it reads | recognised by content |");
        std::string wanted;
        std::string there;
        for (const auto* importer : importers::registry())
            wanted.append("| ")
                .append(importer->format.name)
                .append(" | ")
                .append(importer->format.description)
                .append(" |\n");
        for (const std::string& row : rows)
            there.append(row).append("\n");
        QVERIFY2(there == wanted, ("The README should have:\n" + wanted).c_str());
    }
};

TRAINSCOPE_TEST(tst_Plan)
#include "tst_Plan.moc"
