// Words of a ranking of layouts: shares of the machines' peak, and the remembered choices.

#include "app/viewmodels/prediction/PredictJobs.h"
#include "core/predict/search/Search.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_LayoutRanking : public QObject {
    Q_OBJECT

    [[nodiscard]] static predict::JobRequest request() {
        predict::JobRequest request;
        request.cluster = predict::clusterFrom("4x8xH200").value();
        request.globalBatch = 128;
        request.sequence = 2048;
        return request;
    }

private Q_SLOTS:
    void nothingIsLimitedFirst() {
        const auto plain = app::searchOf(request(), {});
        QCOMPARE(plain.memoryShare, 1.0);
        QVERIFY(!plain.powerLimitW);
        QCOMPARE(plain.globalBatch, 128);
        QCOMPARE(plain.sequence, 2048);
    }

    // 0.6 of 32 GPUs of 700 W.
    void limitsAreShares() {
        const auto limited = app::searchOf(request(), {predict::SearchObjective::PeakPower, 3, 4});
        QCOMPARE(limited.memoryShare, 0.8);
        QCOMPARE(limited.powerLimitW.value(), 0.6 * 700.0 * 32.0);
    }

    // A run's sequence parallelism holds for all layouts of its job, or the ranked ones would take
    // other memory and time than the same layout in the form.
    void layoutsAreOfTheJob() {
        auto asked = request();
        asked.model = *catalogue::modelCatalogue().byName("llama3-8b");
        predict::LayoutChoice choice;
        choice.tensor = 4;
        choice.data = 8;
        for (const bool isParallel : {false, true}) {
            asked.sequenceParallel = isParallel;
            const auto job = predict::jobOf(app::searchOf(asked, {}), choice);
            QVERIFY(job.hasValue());
            QCOMPARE(job.value().sequenceParallel, isParallel);
        }
    }

    // Those that truly differ come first, the best is marked, and rows have memory and tokens/s.
    void rowsAreGrouped() {
        predict::SearchRequest search;
        search.model = *catalogue::modelCatalogue().byName("llama3-8b");
        search.cluster = predict::clusterFrom("2x8xH100").value();
        search.globalBatch = 64;
        const auto found
            = std::make_shared<const predict::SearchResult>(predict::searchLayouts(search).value());
        const auto content
            = app::rankedContent(found, found->top[1].choice, predict::TrainingAsked{1e12});
        QStringList heads;
        for (const auto& head : content.heads)
            heads.append(head.title);
        QCOMPARE(heads.mid(0, 5),
            test::texts("Layout", "Step (90 %)", "Training", "Memory", "Tokens/s per GPU"));
        const auto first = content.row(0);
        QVERIFY(first.isStrong && !first.isQuiet && !first.isChosen);
        QVERIFY(first.cells.front().contains(QStringLiteral("1  ")));
        const auto listed = predict::listedLayouts(*found);
        const auto isTie
            = [](const predict::ListedLayout& one) { return one.group > 0 && !one.isFirst; };
        const auto ties = std::ranges::count_if(
            listed, [&](const auto& one) { return isTie(one) && one.group == 1; });
        QVERIFY(ties > 1);
        QCOMPARE(first.note, QStringLiteral("best, %1 ties").arg(ties));
        // Ties are folded below the first of their group.
        QVERIFY(first.isExpandable && !first.isUnfolded);
        QCOMPARE(
            std::ssize(content.rows), std::ssize(listed) - std::ranges::count_if(listed, isTie));
        const auto opened = app::rankedContent(found, std::nullopt, {}, {1});
        QCOMPARE(std::ssize(opened.rows), std::ssize(content.rows) + ties);
        QVERIFY(opened.row(opened.rows[0]).isUnfolded);
        QCOMPARE(opened.row(opened.rows[1]).depth, 1);
        for (std::size_t i = 0; i < listed.size(); ++i) {
            const auto row = content.row(static_cast<std::int64_t>(i));
            QCOMPARE(row.isQuiet, !listed[i].isFirst);
            QCOMPARE(row.isChosen, listed[i].layout->choice == found->top[1].choice);
            if (listed[i].group > 0 && !listed[i].isFirst)
                QVERIFY(row.cells.front().startsWith(QStringLiteral("= ")));
        }
        QVERIFY(app::rankedContent(nullptr, std::nullopt, {}).rows.empty());
    }

    void isRemembered() {
        const app::RankingSettings chosen{predict::SearchObjective::Energy, 2, 1};
        QCOMPARE(app::rankingSettings().restored({}, app::rankingSettings().kept(chosen)), chosen);
        QCOMPARE(app::rankingSettings().with(chosen, {}, QStringLiteral("memory"), 99), chosen);
    }
};

TRAINSCOPE_GUI_TEST(tst_LayoutRanking)
#include "tst_LayoutRanking.moc"
