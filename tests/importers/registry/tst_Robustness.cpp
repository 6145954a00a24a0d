// Every test file, and where they are every real one, damaged in the ways that happen: cut at some
// byte, a line of garbage in the middle, another name. Each must be imported with a report, refused
// with a message, or listed with a reason; the seed is fixed.

#include "importers/registry/CountingSink.h"
#include "importers/registry/Registry.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

constexpr qint64 kWhole = 128 << 10; // larger files are taken up to here, so that all take seconds

struct Verdict {
    bool fine = false;
    QString text;
};

Verdict importOf(const std::string& name, const std::string& content) {
    const auto tree = memoryTree({{name, content}});
    const auto plan = planImport(*tree, {});
    if (!plan.hasValue())
        return {false, QString::fromStdString("plan: " + plan.error().describe())};
    if (plan.value().units.empty() && plan.value().unrecognised.empty())
        return {false, QStringLiteral("neither planned nor listed")};
    for (const Unrecognised& one : plan.value().unrecognised) {
        if (one.reason.empty())
            return {false, QStringLiteral("listed without a reason")};
    }
    for (const ImportUnit& unit : plan.value().units) {
        CountingSink sink;
        const auto report = findImporter(unit.importer)->import(*tree, unit, sink, {});
        if (!report.hasValue() && report.error().message.empty())
            return {false, QStringLiteral("an error without a message")};
        if (report.hasValue() && report.value().importer.empty())
            return {false, QStringLiteral("a report that names no importer")};
        if (!sink.balanced)
            return {false, QStringLiteral("times and values of different length")};
    }
    return {true, {}};
}

std::string withGarbage(const std::string& content) {
    std::size_t middle = content.find('\n', content.size() / 2);
    middle = middle == std::string::npos ? content.size() / 2 : middle + 1;
    return content.substr(0, middle) + "\x01\xff,,;\"{[garbage]} 99999999999999999999 NaN -\n"
        + content.substr(middle);
}

} // namespace

class tst_Robustness : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void damaged_data() {
        const auto row = columns<QString>("path");
        for (const auto& root : testRoots()) {
            const QString data = QString::fromStdString(root) + QStringLiteral("/data");
            QDirIterator files(data, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString path = files.next();
                row(qPrintable(path.mid(data.size() + 1)), path);
            }
        }
        if (realFiles().empty())
            row("no shared files", QString());
    }
    void damaged() {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string content = file.read(kWhole).toStdString();
        const std::string name = QFileInfo(path).fileName().toStdString();
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        const std::size_t cut = content.empty() ? 0 : random() % content.size();
        const auto check
            = [](const Verdict& verdict) { QVERIFY2(verdict.fine, qPrintable(verdict.text)); };
        check(importOf(name, content.substr(0, cut)));
        check(importOf(name, withGarbage(content)));
        check(importOf("renamed.jpeg", content));
    }
    void tinyInputs_data() {
        const auto row = columns<std::string>("content");
        row("empty", std::string());
        row("one zero byte", std::string(1, '\0'));
        row("newlines", std::string(5000, '\n'));
        row("BOM only", "\xef\xbb\xbf");
        row("UTF-16 mark, odd length", "\xff\xfe\x41");
        row("gzip mark only", "\x1f\x8b");
        row("zstd mark only", "\x28\xb5\x2f\xfd");
        row("one brace", "{");
        row("open trace", "{\"traceEvents\":[");
        row("one quote", "timestamp, power.draw [W]\n\"");
        row("line of 1 MiB", std::string(1 << 20, 'x'));
        row("1 MiB of commas", "timestamp, index, power.draw [W]\n" + std::string(1 << 20, ','));
        row("deep brackets", "{\"traceEvents\":[" + std::string(200'000, '['));
        row("huge numbers",
            "timestamp, index, power.draw [W]\n1e308, 99999999999, 1e999 W\n"
            "9223372036854775807, 0, 5 W\n1776816000, 4, 5e307 W\n");
    }
    void tinyInputs() {
        QFETCH(std::string, content);
        for (const char* name : {"a", "gpu_power_0.csv", "trace.json", "log.csv.gz"}) {
            const Verdict verdict = importOf(name, content);
            QVERIFY2(verdict.fine, qPrintable(verdict.text));
        }
    }
};

TRAINSCOPE_TEST(tst_Robustness)
#include "tst_Robustness.moc"
