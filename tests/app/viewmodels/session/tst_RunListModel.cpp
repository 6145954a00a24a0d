// The list of runs: groups by folder that fold, shortened names, ranges.

#include "app/viewmodels/session/RunListModel.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/SweepFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

class tst_RunListModel : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<RunListModel> m_runs;

    // Heads in brackets.
    [[nodiscard]] QString listed() const {
        QStringList labels;
        for (int row = 0; row < m_runs->count(); ++row) {
            const QString label = m_runs->at(row, "label").toString();
            labels.append(m_runs->isHead(row) ? QStringLiteral("[%1]").arg(label) : label);
        }
        return labels.join(QLatin1Char(' '));
    }
    [[nodiscard]] QString shown() const {
        QStringList names;
        for (const auto& run : m_workspace->shownRuns())
            names.append(QString::fromStdString(run.name));
        return names.join(QLatin1Char(' '));
    }
    [[nodiscard]] int stateOf(int head) const { return m_runs->at(head, "membersState").toInt(); }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_path = test::writeSweeps(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void init() {
        m_workspace = std::make_unique<Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
        m_runs = std::make_unique<RunListModel>();
        m_runs->setWorkspace(m_workspace.get());
    }
    void cleanup() {
        m_runs.reset();
        m_workspace.reset();
    }

    void groupsInNaturalOrder() {
        QAbstractItemModelTester tester(
            m_runs.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(m_runs->isGrouped());
        QCOMPARE(listed(), QStringLiteral("[gpt] base_1 base_2 base_10 [llama] llama_1 llama_2"));
        QCOMPARE(m_runs->nameAt(3), QStringLiteral("gpt_base_10"));
        QCOMPARE(m_runs->at(0, "folder").toString(), QStringLiteral("/sweeps/gpt"));
        QCOMPARE(m_runs->countText(), QStringLiteral("5 runs"));
        QCOMPARE(m_runs->at(6, "strongTag").toString(), QStringLiteral("out of memory"));
        QVERIFY(!m_runs->isDense());
    }

    void folding() {
        QAbstractItemModelTester tester(
            m_runs.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_runs->toggleFolded(0);
        QCOMPARE(listed(), QStringLiteral("[gpt] [llama] llama_1 llama_2"));
        m_runs->foldAll(true);
        QCOMPARE(listed(), QStringLiteral("[gpt] [llama]"));
        // A filter shows hidden runs that it finds.
        m_runs->setFilter(QStringLiteral("base_10"));
        QCOMPARE(listed(), QStringLiteral("[gpt] base_10"));
        QCOMPARE(m_runs->countText(), QStringLiteral("1 of 5 runs"));
        m_runs->setFilter({});
        m_runs->setFolded(1, false);
        QCOMPARE(listed(), QStringLiteral("[gpt] [llama] llama_1 llama_2"));
        QCOMPARE(m_runs->headOf(3), 1);
    }

    void aGroupIsChosenWhole() {
        m_runs->showOnly(5); // llama_1
        QCOMPARE(stateOf(4), 1);
        QCOMPARE(m_runs->at(4, "membersText").toString(), QStringLiteral("1 of 2"));
        m_runs->toggle(4);
        QCOMPARE(shown(), QStringLiteral("llama_1 llama_2"));
        QCOMPARE(stateOf(4), 2);
        m_runs->toggle(0);
        QCOMPARE(m_workspace->shownRuns().size(), 5U);
        QCOMPARE(m_runs->countText(), QStringLiteral("5 runs · 5 shown"));
        m_runs->toggle(4);
        QCOMPARE(shown(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10"));
        QCOMPARE(stateOf(4), 0);
        m_runs->toggle(0); // something stays shown
        QCOMPARE(m_workspace->shownRuns().size(), 3U);
        // Only those that the filter leaves.
        m_runs->setFilter(QStringLiteral("tp5"));
        QCOMPARE(listed(), QStringLiteral("[llama] llama_2"));
        m_runs->showOnly(0);
        QCOMPARE(shown(), QStringLiteral("llama_2"));
    }

    void ranges() {
        m_runs->showOnly(2); // gpt_base_2
        m_runs->showRange(5); // llama_1, over the head of its group
        QCOMPARE(shown(), QStringLiteral("gpt_base_2 gpt_base_10 llama_1"));
        m_runs->showRange(1); // from the same begin, upwards
        QCOMPARE(shown(), QStringLiteral("gpt_base_1 gpt_base_2"));
        m_runs->toggle(6);
        m_runs->showRange(5, true); // behind what was chosen before
        QCOMPARE(shown(), QStringLiteral("gpt_base_1 gpt_base_2 llama_2 llama_1"));
        // A folded group in a range is in it with all its runs.
        m_runs->setFolded(4, true);
        m_runs->showOnly(3);
        m_runs->showRange(4);
        QCOMPARE(shown(), QStringLiteral("gpt_base_10 llama_1 llama_2"));
        m_runs->beginRange(1);
        m_runs->showRange(2);
        QCOMPARE(shown(), QStringLiteral("gpt_base_1 gpt_base_2"));
    }

    void allThatMatch() {
        m_runs->setFilter(QStringLiteral("gpt"));
        m_runs->showAll();
        QCOMPARE(shown(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10"));
        m_runs->setFilter({});
        m_runs->foldAll(true);
        m_runs->showAll();
        QCOMPARE(m_workspace->shownRuns().size(), 5U);
    }

    void labelsAreFound() {
        const auto run = m_workspace->shownRuns().front().id;
        std::optional<bool> written;
        m_workspace->changeLabels(
            {run},
            [](store::RunLabels& labels) {
                labels.tags = {"paper"};
                labels.note = "Fan 3 was loud";
                return Status();
            },
            [&written](const Status& status) { written = status.hasValue(); });
        QTRY_VERIFY(written.has_value());
        QVERIFY(*written);
        m_runs->setFilter(QStringLiteral("paper FAN"));
        QCOMPARE(listed(), QStringLiteral("[gpt] base_1"));
        QVERIFY(m_runs->at(1, "tags").toStringList().contains(QStringLiteral("paper")));
        // They are the database's.
        QVERIFY(test::reloads(*m_workspace));
        QCOMPARE(m_workspace->labels(run).note, std::string("Fan 3 was loud"));
    }
};

TRAINSCOPE_GUI_TEST(tst_RunListModel)
#include "tst_RunListModel.moc"
