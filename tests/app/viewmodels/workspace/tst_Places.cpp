// Seven places: which views they have, where they open, and why one is dimmed.

#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/Views.h"
#include "support/TestProgram.h"

using app::PlaceFacts;
using app::Places;
using app::Views;

class tst_Places : public QObject, test::OpenDatabase {
    Q_OBJECT

    std::unique_ptr<Places> m_places;

    static QString reason(Places::Place place, const PlaceFacts& facts) {
        return Places::reasonOf(place, facts);
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(make(&test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(open());
        m_places = std::make_unique<Places>(*m_views);
    }
    void cleanup() {
        m_places.reset();
        close();
    }

    void viewsOfEarlierVersionsHaveAPlace() {
        const std::vector<std::pair<QString, Places::Place>> places{
            {QStringLiteral("overview"), Places::Overview},
            {QStringLiteral("findings"), Places::Overview},
            {QStringLiteral("spectrum"), Places::Overview},
            {QStringLiteral("timeline"), Places::Timeline},
            {QStringLiteral("layout"), Places::Machine},
            {QStringLiteral("heatmap"), Places::Machine},
            {QStringLiteral("kernels"), Places::Kernels},
            {QStringLiteral("replay"), Places::Kernels},
            {QStringLiteral("iterations"), Places::Kernels},
            {QStringLiteral("compare"), Places::Compare},
            {QStringLiteral("sweep"), Places::Compare},
            {QStringLiteral("predict"), Places::Predict}, {QStringLiteral("runs"), Places::Data},
            {QStringLiteral("query"), Places::Data}, {QStringLiteral("history"), Places::Data}};
        QCOMPARE(places.size(), std::size_t{Views::kViews});
        for (const auto& [key, place] : places) {
            const auto view = Views::viewNamed(key);
            QVERIFY2(view, qPrintable(key));
            QCOMPARE(Places::placeOf(*view), place);
            m_views->setView(*view);
            QCOMPARE(m_places->place(), int(place));
            QVERIFY(m_places->shown().contains(int(*view)));
        }
        QCOMPARE(Views::viewNamed(QStringLiteral("machine")), std::optional(Views::Layout));
        QCOMPARE(Views::viewNamed(QStringLiteral("data")), std::optional(Views::Runs));
        QVERIFY(!Views::viewNamed(QStringLiteral("no such")));
        QCOMPARE(m_places->titles().size(), Places::kPlaces);
    }

    void aPlaceOpensWhereItWasLeft() {
        m_views->setView(Views::Timeline);
        m_places->open(Places::Machine);
        QCOMPARE(m_views->view(), Views::Layout);
        m_views->setView(Views::Heatmap);
        m_places->open(Places::Data);
        QCOMPARE(m_views->view(), Views::Runs);
        m_places->open(Places::Machine);
        QCOMPARE(m_views->view(), Views::Heatmap);
        m_places->open(Places::Machine); // from another of its views: its first
        QCOMPARE(m_views->view(), Views::Layout);
        m_views->setView(Views::Heatmap);
        m_places->open(-1);
        m_places->open(Places::kPlaces);
        QCOMPARE(m_views->view(), Views::Heatmap);
    }

    void anAskedViewGoesBeforeWhatIsRemembered() {
        const QJsonObject chosen{{QStringLiteral("log"), true}};
        m_views->setView(Views::Kernels);
        m_views->setSettings(QStringLiteral("heatmap"), chosen);
        m_places.reset();
        m_views.reset(); // writes
        Views views;
        views.openNextAt(Views::Query);
        views.setWorkspace(m_workspace.get());
        QCOMPARE(views.view(), Views::Query);
        QTRY_COMPARE(views.settings(QStringLiteral("heatmap")), chosen); // the rest was read
        QCOMPARE(views.view(), Views::Query);
    }

    void reasons() {
        PlaceFacts facts{1, 1, 1, 0, false};
        QVERIFY(reason(Places::Kernels, facts)
                    .contains(QStringLiteral("neither a trace nor iterations")));
        facts.hasIterations = true; // as of a training log
        QCOMPARE(reason(Places::Kernels, facts), QString());
        facts.hasIterations = false;
        QVERIFY(reason(Places::Machine, facts).contains(QStringLiteral("one GPU")));
        QVERIFY(reason(Places::Compare, facts).contains(QStringLiteral("one run")));
        for (const auto place : {Places::Overview, Places::Timeline, Places::Predict, Places::Data})
            QCOMPARE(reason(place, facts), QString());
        facts.hasWork = true;
        facts.gpus = 2;
        facts.captures = 2; // two captures of a run can be compared
        for (const auto place : {Places::Machine, Places::Kernels, Places::Compare})
            QCOMPARE(reason(place, facts), QString());
        // Two runs of a GPU each: a heat map has two rows.
        QCOMPARE(reason(Places::Machine, {2, 2, 1, 0, false}), QString());
        QCOMPARE(reason(Places::Compare, {2, 1, 1, 0, false}), QString());
        QVERIFY(
            reason(Places::Kernels, {2, 2, 1, 0, false}).contains(QStringLiteral("These runs")));
        QVERIFY(
            reason(Places::Timeline, {2, 0, 0, 0, false}).contains(QStringLiteral("choose one")));
        QVERIFY(reason(Places::Data, {}).contains(QStringLiteral("no runs")));
        QCOMPARE(reason(Places::Predict, {}), QString());
    }

    // The chosen run decides, by what the database has of it.
    void reasonsOfTheDatabase() {
        const auto said
            = [this](Places::Place place) { return m_places->reasons().at(int(place)); };
        const auto choose = [this](const std::string& name) {
            for (const Run& run : m_workspace->runs()) {
                if (run.name == name)
                    m_workspace->setShown({run.id});
            }
        };
        choose("later"); // one GPU, without a trace, with iterations
        QTRY_VERIFY(said(Places::Machine).contains(QStringLiteral("one GPU")));
        QCOMPARE(said(Places::Kernels), QString());
        QCOMPARE(said(Places::Timeline), QString());
        QCOMPARE(said(Places::Compare), QString());
        choose("small"); // two GPUs, one of them traced
        QTRY_COMPARE(said(Places::Machine), QString());
        QCOMPARE(said(Places::Kernels), QString());
        QCOMPARE(m_places->spectrumReason(), QString());
        m_workspace->close();
        QCOMPARE(m_places->spectrumReason(), QString());
        for (const auto& text : m_places->reasons())
            QCOMPARE(text, QString());
    }
};

TRAINSCOPE_GUI_TEST(tst_Places)
#include "tst_Places.moc"
