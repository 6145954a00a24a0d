// Properties of any trace: cutting it anywhere keeps a prefix, the order of its events does not
// matter, and neither does where its header stands.

#include "importers/kineto/SharedFiles.h"
#include "importers/kineto/TraceText.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

std::string contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace

class tst_KinetoProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyPrefixOfAHandWrittenTrace() {
        std::vector<std::string> events;
        for (int i = 0; i < 5; ++i)
            events.push_back(
                kernelText("k" + std::to_string(i), std::to_string(10 * i), "3", 7, i + 1));
        const std::string whole = traceText(events);
        std::size_t last = 0;
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            const Imported imported(whole.substr(0, size));
            // Each event is complete with its closing brace, and stays so in every longer prefix.
            std::size_t complete = 0;
            for (const std::string& event : events) {
                const auto at = whole.find(event);
                complete += at + event.size() <= size ? 1U : 0U;
            }
            QCOMPARE(imported.spansOf(SpanKind::Kernel).size(), complete);
            QVERIFY(complete >= last);
            last = complete;
            if (!imported.report)
                QVERIFY(!imported.error.message.empty());
        }
        QCOMPARE(last, events.size());
    }

    void prefixesOfRealTraces_data() {
        const auto row = columns<QString>("path");
        row("pair", QString::fromStdString(standIns() + "/data/kineto/pair/rank0.json"));
        if (!hasSharedTraces())
            return;
        for (const char* name :
            {"/kineto/hta_backward_thread.json", "/kineto/pytorch_kineto/docs_after_fix_trace.json",
                "/kineto/pytorch_kineto/tb_gpu_metrics_input.json",
                "/kineto/hta_inference_rank_1.json.gz", "/kineto/hta_mi250_minitoy.json.gz",
                "/kineto/hta_simple_add.json.gz"})
            row(name, sharedData() + QLatin1String(name));
    }

    void prefixesOfRealTraces() {
        QFETCH(QString, path);
        const std::string whole = contentOf(path);
        const Imported all(whole);
        QVERIFY(all.report);
        std::mt19937 random(17);
        for (int i = 0; i < 40; ++i) {
            const std::size_t size = random() % (whole.size() + 1);
            const Imported part(whole.substr(0, size));
            if (!part.report) {
                QVERIFY(!part.error.message.empty());
                continue;
            }
            // Cut text may lose the base time, so compare counts: never more than there is, and
            // told.
            QVERIFY(part.count("events") <= all.count("events"));
            QVERIFY(part.report->spans <= all.report->spans);
            QVERIFY(size == whole.size() || part.report->warningCount > 0);
        }
    }

    void orderDoesNotMatter() {
        shuffleAndCompare(handWritten(), 100);
        if (!hasSharedTraces())
            QSKIP("the real traces are not here");
        shuffleAndCompare(
            contentOf(sharedData()
                + QStringLiteral("/kineto/megatron_tp2_v100/"
                                 "rank0_9c44bd29b3f0_1375.1724066820235157909.pt.trace.json")),
            3000);
    }

private:
    // As libkineto writes it: an event over several lines, its closing brace two blanks in.
    static std::string handWritten() {
        std::vector<std::string> events;
        for (int i = 0; i < 120; ++i)
            events.push_back(kernelText("k" + std::to_string(i % 7),
                std::to_string(10 * i) + ".125", "3.5", 7 + i % 2, i + 1));
        std::string text = "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0}],\n"
                           "  \"traceEvents\": [";
        for (std::size_t i = 0; i < events.size(); ++i)
            text += (i == 0 ? "\n" : ",\n") + events[i];
        return text + "\n  ],\n  \"baseTimeNanoseconds\": 1700000000000000000\n}\n";
    }

    static void shuffleAndCompare(const std::string& text, std::size_t least) {
        // Times as written do not survive a double, so permute the text of the events.
        std::vector<std::string> events;
        const std::string opening = "\"traceEvents\": [";
        const std::size_t begin = text.find(opening) + opening.size();
        const std::size_t end = text.rfind("\n  ],");
        std::size_t at = begin;
        while (at < end) {
            const std::size_t next = text.find("\n  },", at);
            const std::size_t stop = next == std::string::npos || next > end ? end : next + 4;
            events.push_back(text.substr(at, stop - at));
            at = stop + 1;
        }
        QVERIFY(events.size() > least);
        std::mt19937 random(5);
        std::shuffle(events.begin(), events.end(), random);
        std::string permuted
            = "{" + text.substr(end + 5, text.rfind('}') - end - 5) + ",\"traceEvents\": [";
        for (const std::string& event : events)
            permuted += event + ",";
        permuted.back() = ']';
        const std::string header
            = text.substr(text.find('{') + 1, begin - opening.size() - text.find('{') - 1);
        permuted += "," + header.substr(0, header.rfind(',')) + "}";
        const Imported ordered(text);
        const Imported mixed(permuted);
        QVERIFY(ordered.report && mixed.report);
        QCOMPARE(mixed.report->warningCount, ordered.report->warningCount);
        QVERIFY(mixed.report->counts == ordered.report->counts);
        const auto mixedLines = mixed.sink.lines();
        const auto orderedLines = ordered.sink.lines();
        const auto [a, b] = std::mismatch(
            mixedLines.begin(), mixedLines.end(), orderedLines.begin(), orderedLines.end());
        if (a != mixedLines.end() && b != orderedLines.end())
            QCOMPARE(QByteArray::fromStdString(*a), QByteArray::fromStdString(*b));
        QVERIFY(mixedLines == orderedLines);
    }
};

TRAINSCOPE_TEST(tst_KinetoProperties)
#include "tst_KinetoProperties.moc"
