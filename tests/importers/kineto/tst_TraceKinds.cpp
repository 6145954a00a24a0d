// Asynchronous pairs, device work that names its operator only, ids of any size, and tables of
// later schemas.

#include "importers/sqlite/ForeignDatabase.h"
#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;
using namespace std::string_literals;

namespace {

std::string traceOf(const QByteArray& events) {
    QByteArray text = "{'schemaVersion': 1, 'distributedInfo': {'rank': 0, 'world_size': 1}, "
                      "'traceEvents': ["
        + events + "]}";
    return text.replace('\'', '"').toStdString();
}

// Microseconds of the only span of that name; -1 without one.
double lengthOf(const ImportedAll& trace, const std::string& name) {
    double found = -1.0;
    for (const RecordedTrack& track : trace.sink.tracks) {
        for (const Span& span : track.spans) {
            if (trace.sink.name(span.name) == name)
                found = static_cast<double>(span.duration.ns) / 1e3;
        }
    }
    return found;
}

class tst_TraceKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asynchronousPairs_data() {
        QTest::addColumn<QByteArray>("begin");
        QTest::addColumn<QByteArray>("end");
        QTest::newRow("nestable") << QByteArray("b") << QByteArray("e");
        QTest::newRow("older") << QByteArray("S") << QByteArray("F");
    }
    // "send" and "recv" run over one another.
    void asynchronousPairs() {
        QFETCH(QByteArray, begin);
        QFETCH(QByteArray, end);
        const auto event = [](const QByteArray& ph, const char* name, int ts) {
            return ",{'ph': '" + ph + "', 'cat': 'comm', 'id': '0x1', 'pid': 1, 'tid': 1, 'name': '"
                + name + "', 'ts': " + QByteArray::number(ts) + "}";
        };
        ImportedAll trace;
        importFile("trace.json",
            traceOf("{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 100, "
                    "'dur': 10, 'args': {'stream': 7, 'device': 0}}"
                + event(begin, "send", 110) + event(begin, "recv", 130) + event(end, "send", 150)
                + event(end, "recv", 180) + event(end, "never begun", 190)),
            trace);
        QCOMPARE(lengthOf(trace, "send"), 40.0);
        QCOMPARE(lengthOf(trace, "recv"), 50.0);
        QCOMPARE(
            trace.reports.at(0).value().counts.at("begins or ends without their other half"), 1);
    }

    // The kernel says which operator launched it, and the trace has no calls.
    void externalIds() {
        ImportedAll trace;
        importFile("trace.json",
            traceOf(
                "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 2, 'tid': 0, 'ts': 80, 'dur': "
                "20, 'args': {'External id': 42}},"
                "{'ph': 'X', 'cat': 'cpu_op', 'name': 'aten::mm', 'pid': 3, 'tid': 3, 'ts': 20, "
                "'dur': 10, 'args': {'External id': 42}}"),
            trace);
        std::int64_t ofKernel = 0;
        const Span* call = nullptr;
        for (const RecordedTrack& track : trace.sink.tracks) {
            for (const Span& span : track.spans) {
                if (span.kind == SpanKind::Kernel)
                    ofKernel = span.correlation;
                if (span.kind == SpanKind::Runtime)
                    call = &span;
            }
        }
        QVERIFY(call != nullptr && ofKernel != 0);
        QCOMPARE(call->correlation, ofKernel);
        QCOMPARE(call->start.ns, 20'000); // in the operator
    }

    // An arrow joins a launch to its kernel; its id is larger than any double counts to, or a text.
    void idsOfArrows_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("above 2^53") << QByteArray("9007199254740993");
        QTest::newRow("above 2^64") << QByteArray("36893488147419103233");
        QTest::newRow("a text") << QByteArray("'launch-7'");
    }
    void idsOfArrows() {
        QFETCH(QByteArray, id);
        ImportedAll trace;
        importFile("trace.json",
            traceOf(
                "{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 3, 'tid': "
                "3, 'ts': 20, 'dur': 5},{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, "
                "'tid': 7, 'ts': 80, 'dur': 20},"
                "{'ph': 's', 'cat': 'ac2g', 'name': 'ac2g', 'pid': 3, 'tid': 3, 'ts': 20, 'id': "
                + id
                + "},{'ph': 'f', 'cat': 'ac2g', 'name': 'ac2g', 'pid': 0, 'tid': 7, 'ts': 80, "
                  "'id': "
                + id + "}"),
            trace);
        std::vector<std::int64_t> correlations;
        for (const RecordedTrack& track : trace.sink.tracks) {
            for (const Span& span : track.spans)
                correlations.push_back(span.correlation);
        }
        QCOMPARE(correlations.size(), std::size_t{2});
        QVERIFY(correlations[0] != 0);
        QCOMPARE(correlations[0], correlations[1]);
    }

    void tablesOfLaterSchemas() {
        using importers::withoutVersion;
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS_V3")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS_V12")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("ENUM_CUDA_V")), "ENUM_CUDA_V"s);
        QCOMPARE(std::string(withoutVersion("METRICS2")), "METRICS2"s);
    }
};

} // namespace

TRAINSCOPE_TEST(tst_TraceKinds)
#include "tst_TraceKinds.moc"
