// Words of a ranking of layouts: shares of the machines' peak, and the remembered choices.

#include "app/viewmodels/prediction/LayoutRanking.h"
#include "support/TestProgram.h"

#include <QTest>

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

    void isRemembered() {
        const app::RankingSettings chosen{predict::SearchObjective::Energy, 2, 1};
        QCOMPARE(app::rankingSettings().restored({}, app::rankingSettings().kept(chosen)), chosen);
        QCOMPARE(app::rankingSettings().with(chosen, {}, QStringLiteral("memory"), 99), chosen);
    }
};

TRAINSCOPE_TEST(tst_LayoutRanking)
#include "tst_LayoutRanking.moc"
