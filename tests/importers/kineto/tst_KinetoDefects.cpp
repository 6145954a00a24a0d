// The defects of trace files that occur in the wild: each is survived, told, and costs no more than
// it must.

#include "importers/kineto/TraceText.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// Every trace of the tree, and the report on the first.
void importAll(std::vector<std::pair<std::string, std::string>> files, Imported& imported) {
    const importers::Importer& importer = importers::kineto::kImporter;
    const auto tree = importers::memoryTree(std::move(files));
    for (const importers::ImportUnit& unit : importer.plan(*tree, tree->files())) {
        auto report = importer.import(*tree, unit, imported.sink, {});
        if (!imported.report && report.hasValue())
            imported.report = std::move(report).value();
    }
}

bool warnsOf(const Imported& imported, std::string_view words) {
    const auto& warnings = imported.report->warnings;
    return std::any_of(warnings.begin(), warnings.end(), [words](const ImportWarning& warning) {
        return warning.text.find(words) != std::string::npos;
    });
}

} // namespace

class tst_KinetoDefects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defect_data();
    void defect();
    void baseTimeBehindBrokenEventIsFound();
    void truncatedTailIsPartial();
    void lostBaseTimeIsThatOfTheRun();
    void lostBaseTimeOfALoneTrace();
    void nothingUsableIsAnError_data();
    void nothingUsableIsAnError();
    void hugeHeaderValueIsPassedOver();
    void windowsPathKeepsItsBackslashes();
    void controlCharactersAndBadUtf8Survive();
};

void tst_KinetoDefects::defect_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("kernels");
    QTest::addColumn<qint64>("skipped");
    QTest::addColumn<bool>("isTold");
    const std::string a = kernelText("a", "1.5", "2", 7, 1);
    const std::string b = kernelText("b", "5", "1.25", 7, 2);
    const std::string c = kernelText("c", "9", "0", 8, 3);
    const auto row = [](const char* name, const std::string& text, int kernels, int skipped,
                         bool told = true) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << qint64{kernels} << qint64{skipped}
                            << told;
    };
    const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    };
    const std::string whole = traceText({a, b, c});
    row("sound", whole, 3, 0, false);
    row("bare array", "[\n" + a + ",\n" + b + "\n]", 2, 0, true); // told: no base time
    row("trailing comma behind the last event", replaced(whole, c + "\n", c + ",\n"), 3, 0, false);
    row("trailing comma in an event",
        replaced(whole, "\"block\": [128, 1, 1]\n", "\"block\": [128, 1, 1],\n"), 3, 0, false);
    row("NaN duration", replaced(whole, "\"dur\": 1.25", "\"dur\": NaN"), 3, 0);
    row("negative duration", replaced(whole, "\"dur\": 1.25", "\"dur\": -3"), 3, 0);
    row("no duration", replaced(whole, ", \"dur\": 1.25", ""), 3, 0);
    row("infinite time", replaced(whole, "\"ts\": 5,", "\"ts\": Infinity,"), 3 - 1, 1);
    row("time beyond 64 bits", replaced(whole, "\"ts\": 5,", "\"ts\": 5e30,"), 3 - 1, 1);
    row("NaN argument", replaced(whole, "\"context\": 1", "\"context\": NaN"), 3, 0, false);
    row("duplicate key", replaced(whole, "\"ts\": 5,", "\"ts\": 4, \"ts\": 5,"), 3, 0, false);
    row("line of garbage between events", replaced(whole, b, "##@! garbage ]}{\n" + b), 3, 0);
    row("line of words between events", replaced(whole, b, "this is not JSON\n" + b), 3, 0);
    row("line of garbage inside an event",
        replaced(whole, "    \"args\"", "%% garbage, \"x\n    \"args\""), 3, 0);
    row("closing bracket too early", replaced(whole, b, "]\n" + b), 3, 0);
    row("closing brackets too early", replaced(whole, b, "]}\n" + b), 3, 0);
    row("stray quote",
        replaced(whole, "\"pid\": 0, \"tid\": 7,\n    \"ts\": 5",
            "\"pid\": \"0, \"tid\": 7,\n    \"ts\": 5"),
        2, 1);
    row("event without end", replaced(whole, b, b.substr(0, b.size() / 2)), 2, 1);
    row("missing comma between events", replaced(whole, a + ",", a), 3, 0, false);
    row("not an event", replaced(whole, b, "17"), 2, 0);
    row("event without ph", replaced(whole, b, "{\"name\": \"x\", \"ts\": 1}"), 2, 1);
    row("unknown ph", replaced(whole, b, "{\"ph\": \"Z\", \"name\": \"x\"}"), 2, 0, false);
    row("no args",
        replaced(whole, b,
            "{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"b\", \"pid\": 0, \"tid\": "
            "\"stream 7 "
            "\", \"ts\": 5, \"dur\": 1}"),
        3, 0, false);
    row("args is no object",
        replaced(whole, b,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", \"pid\": 0, \"tid\": 7, "
            "\"ts\": "
            "5, \"dur\": 1, \"args\": null}"),
        3, 0, false);
    row("byte order mark", "\xEF\xBB\xBF" + whole, 3, 0, false);
    row("text behind the end", whole + "\ntrailing\n", 3, 0);
    row("text before the start", "some log line\n" + whole, 3, 0);
    row("zero bytes in the middle", replaced(whole, b, std::string(1000, '\0') + b), 3, 0);
    row("two traces in one file", whole + whole, 6, 0);
}

void tst_KinetoDefects::defect() {
    QFETCH(QByteArray, text);
    QFETCH(qint64, kernels);
    QFETCH(qint64, skipped);
    QFETCH(bool, isTold);
    const Imported imported(text.toStdString());
    QVERIFY2(imported.report, imported.error.message.c_str());
    QCOMPARE(static_cast<qint64>(imported.spansOf(SpanKind::Kernel).size()), kernels);
    QCOMPARE(static_cast<qint64>(imported.report->skipped), skipped);
    QCOMPARE(imported.report->warningCount > 0, isTold);
    for (const ImportWarning& warning : imported.report->warnings)
        QVERIFY(!warning.text.empty());
}

void tst_KinetoDefects::baseTimeBehindBrokenEventIsFound() {
    const std::string broken = kernelText("b", "5", "1", 7, 2).substr(0, 60);
    const Imported imported(traceText({kernelText("a", "1.5", "2"), broken}));
    QVERIFY(imported.report);
    const auto kernels = imported.spansOf(SpanKind::Kernel);
    QCOMPARE(kernels.size(), std::size_t{1});
    QCOMPARE(kernels[0].start.ns, 1700000000000001500);
    QVERIFY(imported.sink.runs.at("run").status == RunStatus::Ok);
}

void tst_KinetoDefects::truncatedTailIsPartial() {
    const std::string whole = traceText({kernelText("a", "1", "2"), kernelText("b", "5", "1")});
    const Imported imported(whole.substr(0, whole.find("\"b\"") + 40));
    QVERIFY(imported.report);
    QCOMPARE(imported.spansOf(SpanKind::Kernel).size(), std::size_t{1});
    QVERIFY(imported.sink.runs.at("run").status == RunStatus::Partial);
    QCOMPARE(imported.report->skipped, 1);
    const auto isAboutTheEnd = [](const ImportWarning& warning) {
        return warning.text.find("ends before it is complete") != std::string::npos;
    };
    QVERIFY(std::any_of(
        imported.report->warnings.begin(), imported.report->warnings.end(), isAboutTheEnd));
}

// The base time stands behind the events, so that a trace which is cut has lost it.
void tst_KinetoDefects::lostBaseTimeIsThatOfTheRun() {
    const std::string whole = traceText({kernelText("a", "1", "2"), kernelText("b", "5", "1")});
    const std::string cut = whole.substr(0, whole.find("\"b\"") + 40);
    const std::string foreign
        = traceText({kernelText("c", "9", "1")}, ", \"baseTimeNanoseconds\": 1600000000000000000");
    Imported imported;
    importAll({{"job/t_rank0.json", cut}, {"job/t_rank1.json", cut}, {"job/t_rank2.json", whole},
                  {"other/t_rank0.json", foreign}},
        imported);
    std::multiset<std::int64_t> starts;
    for (const Span& span : imported.spansOf(SpanKind::Kernel))
        starts.insert(span.start.ns);
    constexpr std::int64_t kBase = 1'700'000'000'000'000'000;
    QCOMPARE(starts,
        (std::multiset<std::int64_t>{
            1'600'000'000'000'009'000, kBase + 1000, kBase + 1000, kBase + 1000, kBase + 5000}));
    QVERIFY(warnsOf(imported, "that of t_rank2.json, another rank of the run"));
    QCOMPARE(imported.report->facts.at("clock"),
        std::string("UTC, from baseTimeNanoseconds of t_rank2.json"));
}

void tst_KinetoDefects::lostBaseTimeOfALoneTrace() {
    const std::string whole = traceText({kernelText("a", "1", "2"), kernelText("b", "5", "1")});
    Imported imported;
    importAll(
        {{"a/t_rank0.json", whole.substr(0, whole.find("\"b\"") + 40)}, {"b/t_rank1.json", whole}},
        imported);
    QCOMPARE(imported.spansOf(SpanKind::Kernel)[0].start.ns, 1000);
    QVERIFY(warnsOf(imported, "its times count from an unknown moment"));
}

void tst_KinetoDefects::nothingUsableIsAnError_data() {
    const auto row = columns<QByteArray, QByteArray>("text", "part");
    row("empty", QByteArray(), QByteArray("file is empty"));
    row("binary", QByteArray(5000, '\x07'), QByteArray("traceEvents"));
    row("no events", QByteArray("{\"traceEvents\": []}"), QByteArray("no trace event"));
    row("execution trace",
        QByteArray(
            "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [{\"id\": 1, \"name\": \"x\"}]}"),
        QByteArray("execution trace"));
}

void tst_KinetoDefects::nothingUsableIsAnError() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, part);
    const Imported imported(text.toStdString());
    QVERIFY(!imported.report);
    QVERIFY(imported.error.code == ErrorCode::Unrecognised);
    QVERIFY2(QByteArray::fromStdString(imported.error.message).contains(part),
        imported.error.message.c_str());
}

void tst_KinetoDefects::hugeHeaderValueIsPassedOver() {
    std::string huge = "{\"frames\": [";
    while (huge.size() < (std::size_t{10} << 20))
        huge += "{\"name\": \"f]}\\\"\", \"parent\": 1},";
    huge += "0]}";
    const std::string whole = traceText({kernelText("a", "1", "2")});
    const Imported imported("{\"stackFrames\": " + huge + ", " + whole.substr(1));
    QVERIFY(imported.report);
    for (const ImportWarning& warning : imported.report->warnings)
        QVERIFY2(false, (std::to_string(warning.line) + warning.text).c_str());
    QCOMPARE(imported.count("kernels"), 1);
    QCOMPARE(imported.report->warningCount, 0);
    QCOMPARE(imported.spansOf(SpanKind::Kernel)[0].start.ns, 1700000000000001000);
}

void tst_KinetoDefects::windowsPathKeepsItsBackslashes() {
    const std::string path = R"(C:\Users\new\train.py(12): f)";
    const std::string event = R"({"ph": "X", "cat": "python_function", "name": ")" + path
        + R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 2})";
    const std::string folder
        = R"({"ph": "X", "cat": "cpu_op", "name": "x", "pid": 1, "tid": 1, "ts": 1, "dur": 2, )"
          R"("args": {"Call stack": "C:\temp\", "Input type": ["float"]}})";
    const Imported imported(traceText({event, folder, kernelText("a", "1", "2")}));
    QVERIFY(imported.report);
    QCOMPARE(imported.count("events"), 3);
    QCOMPARE(imported.report->skipped, 0);
    const auto python = imported.spansOf(SpanKind::Python);
    QCOMPARE(python.size(), std::size_t{1});
    // \n is a valid escape, \U and \t(rain) are what they are: only the unknown ones can be
    // kept.
    QCOMPARE(imported.sink.name(python[0].name), std::string("C:\\Users\new\train.py(12): f"));
    QCOMPARE(imported.spansOf(SpanKind::CpuOp).size(), std::size_t{1});
}

void tst_KinetoDefects::controlCharactersAndBadUtf8Survive() {
    const Imported imported(traceText({kernelText("tab\there \xFF\xFE", "1", "2")}));
    QVERIFY(imported.report);
    const auto kernels = imported.spansOf(SpanKind::Kernel);
    QCOMPARE(kernels.size(), std::size_t{1});
    QCOMPARE(imported.sink.name(kernels[0].name), std::string("tab\there \xFF\xFE"));
}

TRAINSCOPE_TEST(tst_KinetoDefects)
#include "tst_KinetoDefects.moc"
