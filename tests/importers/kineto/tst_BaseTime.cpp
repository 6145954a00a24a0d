// The base time is found before the events have been read, wherever it stands.

#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceText.h"
#include "importers/support/Compress.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace trainscope;
using namespace trainscope::test;
using namespace trainscope::importers;
using namespace trainscope::importers::kineto;

namespace {

std::optional<std::int64_t> findIn(const std::string& stored) {
    const auto tree = memoryTree({{"t.json", stored}});
    return findBaseTime(*tree, "t.json", {}).valueOr(BaseTime{}).ns;
}

// A trace of more than the last part that is looked at, with `tail` behind the events.
std::string longTrace(const std::string& tail, const std::string& name = "k") {
    std::vector<std::string> events;
    for (int i = 0; i < 8000; ++i)
        events.push_back(kernelText(name, std::to_string(i), "1"));
    return traceText(events, tail);
}

} // namespace

class tst_BaseTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tail_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("base"); // -1: none
        const auto row = [](const char* name, const char* text, qint64 base) {
            QTest::newRow(name) << QByteArray(text) << base;
        };
        row("last", "1}\n ], \"traceName\": \"t\", \"baseTimeNanoseconds\": 17 }\n", 17);
        row("first", "1}],\"baseTimeNanoseconds\":18,\"traceName\":\"t\",\"x\":{\"a\":[1]}}", 18);
        row("bracket in a name", "1}], \"traceName\": \"a]b\", \"baseTimeNanoseconds\": 19}", 19);
        row("array before", "1}], \"x\": [1, 2], \"baseTimeNanoseconds\": 20}", 20);
        row("none", "1}], \"traceName\": \"t\"}", -1);
        row("cut", "1}], \"baseTimeNanoseconds\": 17", -1);
        row("an argument", "[1], \"baseTimeNanoseconds\": 17 }}, {\"ph\": \"X\"}]}", -1);
        row("no number", "1}], \"baseTimeNanoseconds\": \"x\"}", -1);
        row("no events", "\"baseTimeNanoseconds\": 17}", -1);
    }
    void tail() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, base);
        QCOMPARE(static_cast<qint64>(baseTimeOfTail(text.toStdString()).value_or(-1)), base);
    }
    void longTracesInAnyStorage() {
        const std::string trace
            = longTrace(", \"traceName\": \"t\", \"baseTimeNanoseconds\": 1234567\n");
        QVERIFY(trace.size() > (std::size_t{2} << 20));
        for (const std::string& stored :
            {trace, trainscope::test::gzipped(trace), trainscope::test::zstded(trace)})
            QCOMPARE(findIn(stored).value_or(-1), std::int64_t{1234567});
        QVERIFY(!findIn(longTrace(", \"traceName\": \"t\"")).has_value());
    }
    void aFileOnDisk() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.json")).toStdString();
        std::ofstream(path, std::ios::binary) << longTrace(", \"baseTimeNanoseconds\": 99");
        const auto tree = openDiskTree(path);
        QVERIFY(tree.hasValue());
        QCOMPARE(
            findBaseTime(*tree.value(), "t.json", {}).value().ns.value_or(-1), std::int64_t{99});
    }
    void inFrontOfTheEvents() {
        std::string trace = longTrace(", \"traceName\": \"t\"");
        trace.insert(1, "\"baseTimeNanoseconds\": 5,");
        QCOMPARE(findIn(trace).value_or(-1), std::int64_t{5});
    }
    void namesAreNoMembers() {
        const std::string trace
            = longTrace(", \"traceName\": \"t\"", "\\\"baseTimeNanoseconds\\\": 7");
        QVERIFY(!findIn(trace).has_value());
    }
    void cutShort() {
        const std::string whole = longTrace(", \"traceName\": \"t\"");
        const std::string cut = whole.substr(0, whole.size() / 2);
        const std::string packed = trainscope::test::gzipped(whole);
        const auto tree = memoryTree({{"whole.json", whole}, {"cut.json", cut},
            {"cut.json.gz", packed.substr(0, packed.size() - 100)}});
        QVERIFY(!findBaseTime(*tree, "whole.json", {}).value().isCutShort);
        for (const char* path : {"cut.json", "cut.json.gz"}) {
            const auto found = findBaseTime(*tree, path, {}).value();
            QVERIFY(!found.ns && found.isCutShort);
        }
    }
};

TRAINSCOPE_TEST(tst_BaseTime)
#include "tst_BaseTime.moc"
