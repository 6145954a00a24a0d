// The tables of a selection over kernels, as the timeline fills them (see TimelineDatabase.h).

#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

#include <QClipboard>
#include <QGuiApplication>

using namespace trainscope;
using test::kStart;
using test::seconds;

namespace {

// The cells of a row of CSV below the head of the table with that title.
QStringList csvRow(const QString& csv, const QString& title, const QString& name) {
    const auto lines = csv.split(QLatin1Char('\n'));
    for (auto at = lines.indexOf(title); at >= 0 && at < lines.size() && !lines[at].isEmpty();
         ++at) {
        if (lines[at].startsWith(name + QLatin1Char(',')))
            return lines[at].split(QLatin1Char(','));
    }
    return {};
}

void compareNs(const QString& seconds, DurationNs time) {
    QCOMPARE(std::llround(seconds.toDouble() * 1e9), static_cast<long long>(time.ns));
}

} // namespace

class tst_SelectionFigures : public QObject, test::OpenDatabase {
    Q_OBJECT

private:
    std::unique_ptr<app::TimelineController> m_controller;

    [[nodiscard]] app::KernelFigures& kernels() { return *m_controller->inspector()->kernels(); }
    [[nodiscard]] static QStringList figures(const app::TableModel& table, int row) {
        return table.at(row, "cells").toStringList();
    }
    void select(double from, double to) {
        m_controller->selection()->set(plot::ViewWindow{seconds(from), seconds(to)});
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(make(&test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(openWorkspace());
        m_workspace->setShown({runOf("small")});
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setWorkspace(m_workspace.get());
        m_controller->setViewSize(1160, 700, 1.0);
        QTRY_VERIFY(m_controller->isReady());
        QTRY_VERIFY(kernels().isThere() && kernels().doing().isEmpty());
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    // Without a selection: all of the view, as `kernels` without a window.
    void theWholeView() {
        QCOMPARE(kernels().names()->count(), 2);
        QCOMPARE(figures(*kernels().names(), 0),
            test::texts("sm90_gemm", "2", "100 ms", "50 ms", "99 %"));
        // First kernel to last: 2.000001 s, of which 101.001 ms are busy.
        const auto row
            = csvRow(kernels().csv(), QStringLiteral("Time per GPU"), QStringLiteral("rank 0"));
        QCOMPARE(row.size(), 9);
        compareNs(row[1], {2'000'001'000});
        compareNs(row[2], {101'001'000});
        compareNs(row[7], {0}); // no copies
        compareNs(row[8], {1'899'000'000});
        QCOMPARE(kernels().gpus()->count(), 0); // there is one GPU
        QCOMPARE(kernels().times()->count(), 5); // no copies, no overlap
    }
    // Half of the first GEMM and half of the collective; what `kernels --from 1.05 --to 2.0005`
    // says is of the same function of the analysis.
    void aSelection() {
        select(1.05, 2.0005);
        QTRY_COMPARE(
            csvRow(kernels().csv(), QStringLiteral("Kernels by name"), QStringLiteral("sm90_gemm"))
                .value(1),
            QStringLiteral("1"));
        QTRY_VERIFY(kernels().doing().isEmpty());
        const auto row
            = csvRow(kernels().csv(), QStringLiteral("Time per GPU"), QStringLiteral("rank 0"));
        QCOMPARE(row.size(), 9);
        const std::array<std::int64_t, 8> expected{
            950'500'000, 50'500'000, 50'000'000, 500'000, 500'000, 0, 0, 900'000'000};
        for (std::size_t i = 0; i < expected.size(); ++i)
            compareNs(row[static_cast<qsizetype>(i) + 1], {expected[i]});

        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly).value();
        const auto traces = analysis::deviceTraces({store, store.findRun("small").value()},
            analysis::KernelCategories::builtIn(),
            {kStart + seconds(1.05), kStart + seconds(2.0005)}, {})
                                .value();
        const auto& said = traces.front().breakdown;
        QCOMPARE(said.busy.ns, expected[1]);
        QCOMPARE(said.idle.ns, expected[7]);
        for (const auto& kernel : said.kernels) {
            const auto cells = csvRow(kernels().csv(), QStringLiteral("Kernels by name"),
                QString::fromStdString(kernel.name));
            QCOMPARE(cells.value(1).toLongLong(), static_cast<qlonglong>(kernel.count));
            compareNs(cells.value(2), kernel.time);
        }
        QCOMPARE(said.kernels.size(), std::size_t(kernels().names()->count()));
        QCOMPARE(figures(*kernels().collectives(), 0).mid(0, 2), test::texts("AllReduce", "1"));
        select(4, 5);
        QTRY_VERIFY(!kernels().isThere());
    }
    void sorting() {
        auto& names = *kernels().names();
        const auto first = [&names] { return names.at(0, "name").toString(); };
        QCOMPARE(names.sortColumn(), -1);
        names.sortBy(0);
        QCOMPARE(first(), QStringLiteral("ncclDevKernel_AllReduce"));
        names.sortBy(0);
        QCOMPARE(first(), QStringLiteral("sm90_gemm"));
        names.sortBy(2); // total: largest first
        QVERIFY(names.isDescending());
        QCOMPARE(first(), QStringLiteral("sm90_gemm"));
        names.sortBy(2);
        QCOMPARE(first(), QStringLiteral("ncclDevKernel_AllReduce"));
        QVERIFY(names.csv().indexOf(QStringLiteral("nccl"))
            < names.csv().indexOf(QStringLiteral("sm90")));
        QSignalSpy isRead(&names, &app::TableModel::tableChanged);
        select(0, 9); // stays sorted
        QTRY_VERIFY(!isRead.isEmpty() && kernels().doing().isEmpty());
        QCOMPARE(first(), QStringLiteral("ncclDevKernel_AllReduce"));
        names.sortBy(99);
        QCOMPARE(names.sortColumn(), 2);
    }
    void theFirstOfMany() {
        app::TableModel model;
        text::Table table{"Many", {{"name", text::Align::Left}, {"count"}}};
        for (int i = 0; i < 50; ++i)
            table.add({"n" + std::to_string(i), i});
        model.setTable(table);
        QCOMPARE(model.count(), 20);
        QVERIFY(model.note().contains(QStringLiteral("20 of 50")));
        model.sortBy(1);
        QCOMPARE(model.at(0, "name").toString(), QStringLiteral("n49"));
        QCOMPARE(model.text().count(QLatin1Char('\n')), 52);
        QVERIFY(!model.isSelectable());
        model.select(0); // nothing happens
    }
    void theLongestOfARow() {
        kernels().names()->select(0);
        QTRY_VERIFY(m_controller->inspector()->hasSpan());
        QCOMPARE(m_controller->inspector()->spanName(), QStringLiteral("sm90_gemm"));
        QTRY_COMPARE(m_controller->span()->stretch()->begin, seconds(1));
        QCOMPARE(m_controller->span()->stretch()->length().ns, std::int64_t{100'000'000});
        // The figures stay those of what was seen.
        QVERIFY(m_controller->context().selection.has_value());
        select(2.5, 9);
        QTRY_VERIFY(kernels().names()->count() == 1);
        kernels().categories()->select(0);
        QTRY_COMPARE(m_controller->span()->stretch()->begin, seconds(3));
    }
    void copying() {
        kernels().copyAsCsv();
        QCOMPARE(QGuiApplication::clipboard()->text(), kernels().csv());
        kernels().copyAsText();
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY(copied.contains(QStringLiteral("sm90_gemm\t2\t100 ms\t50 ms\t99 %\n")));
        QVERIFY(m_controller->inspector()->text().contains(QStringLiteral("Kernels by name")));
    }
};

TRAINSCOPE_GUI_TEST(tst_SelectionFigures)
#include "tst_SelectionFigures.moc"
